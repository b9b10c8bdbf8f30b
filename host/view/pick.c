// pick.c: a search through all particles: it happens once a click.
#include "view/pick.h"

// What lies further behind the nearest of them than this, as a part of the distance, is another layer.
static const float LAYER = 0.02f;

bool weft_pick(WeftPick *pick, const WeftCamera *camera, const double *places, uint32_t count,
               double x, double y, uint32_t width, uint32_t height)
{
    const double reach = WEFT_PICK_PIXELS;
    double       best = 0;
    bool         found = false;
    for (uint32_t i = 0; i < count; i++)
    {
        double pixel[2];
        Vec3   place = vec3((float)places[3 * (size_t)i], (float)places[3 * (size_t)i + 1],
                            (float)places[3 * (size_t)i + 2]);
        if (!weft_camera_project(camera, place, width, height, pixel))
            continue;
        double miss = hypot(pixel[0] - x, pixel[1] - y);
        float  depth = dot(sub(place, camera->eye), camera->forward);
        if (miss > reach)
            continue;
        bool is_front = found && depth < pick->depth * (1 - LAYER);
        bool is_behind = found && depth > pick->depth * (1 + LAYER);
        if (!found || is_front || (!is_behind && miss < best))
        {
            *pick = (WeftPick){i, depth};
            best = miss;
            found = true;
        }
    }
    return found;
}
