// picture_solids.c: the solids of a scene as meshes; planes stay infinite.
// All round solids are an outline turned about the y axis.
#include "picture.h"

#include "scene/motion.h"

enum
{
    SEGMENTS = 96, // around the axis
    ARC = 32,      // along a half circle of an outline
    MAX_OUTLINE = 4 * ARC,
};

// A point of the outline with the outline's outward normal there; a sharp edge is two points.
typedef struct OutlinePoint
{
    float radius, y, normal_radius, normal_y;
} OutlinePoint;

static Vec3 place(const WeftTransform *transform, Vec3 local, bool direction)
{
    double point[3] = {local.x, local.y, local.z}, result[3];
    weft_transform_apply(transform, point, result);
    for (int k = 0; direction && k < 3; k++)
        result[k] -= transform->translation[k];
    return vec3((float)result[0], (float)result[1], (float)result[2]);
}

static void revolve(PictureMesh *mesh, const OutlinePoint *outline, int count,
                    const WeftTransform *transform)
{
    for (int i = 0; i < count; i++)
        for (int s = 0; s <= SEGMENTS; s++)
        {
            float        angle = 6.2831853f * (float)(s % SEGMENTS) / SEGMENTS;
            float        c = cosf(angle), sine = sinf(angle);
            OutlinePoint p = outline[i];
            Vec3         normal = vec3(p.normal_radius * c, p.normal_y, p.normal_radius * sine);
            weft_picture_mesh_add_vertex(
                mesh, place(transform, vec3(p.radius * c, p.y, p.radius * sine), false),
                place(transform, normal, true));
        }
    for (uint32_t i = 0; i + 1 < (uint32_t)count; i++)
        for (uint32_t s = 0; s < SEGMENTS; s++)
        {
            uint32_t a = i * (SEGMENTS + 1) + s, b = a + SEGMENTS + 1;
            weft_picture_mesh_add_triangle(mesh, a, b, b + 1);
            weft_picture_mesh_add_triangle(mesh, a, b + 1, a + 1);
        }
}

// Appends a circular arc about (center_radius, center_y), angles counted from the equator.
static int add_arc(OutlinePoint *outline, int count, float center_radius, float center_y,
                   float radius, float from, float to, int steps)
{
    for (int i = 0; i <= steps; i++)
    {
        float angle = from + (to - from) * (float)i / (float)steps;
        float c = cosf(angle), s = sinf(angle);
        outline[count++] = (OutlinePoint){center_radius + radius * c, center_y + radius * s, c, s};
    }
    return count;
}

static int make_outline(OutlinePoint *outline, const WeftSolid *solid, float inset)
{
    const float quarter = 1.5707963f;
    float       full = (float)solid->radius, half = 0.5f * (float)solid->height;
    float       radius = full - inset;
    int         count = 0;
    switch (solid->type)
    {
    case WEFT_SOLID_SPHERE:
        return add_arc(outline, 0, 0, 0, radius, -quarter, quarter, ARC);
    case WEFT_SOLID_CAPSULE:
        count = add_arc(outline, 0, 0, -half, radius, -quarter, 0, ARC / 2);
        return add_arc(outline, count, 0, half, radius, 0, quarter, ARC / 2);
    case WEFT_SOLID_TORUS:
        return add_arc(outline, 0, full, 0, (float)solid->tube_radius - inset, 0, 4 * quarter,
                       2 * ARC);
    case WEFT_SOLID_CYLINDER:
    {
        float y = half - inset;
        outline[count++] = (OutlinePoint){0, -y, 0, -1};
        outline[count++] = (OutlinePoint){radius, -y, 0, -1};
        outline[count++] = (OutlinePoint){radius, -y, 1, 0};
        outline[count++] = (OutlinePoint){radius, y, 1, 0};
        outline[count++] = (OutlinePoint){radius, y, 0, 1};
        outline[count++] = (OutlinePoint){0, y, 0, 1};
        return count;
    }
    case WEFT_SOLID_CONE:
    {
        // Base and slope both move inwards by the inset.
        float slope = sqrtf(full * full + 4 * half * half), base = -half + inset;
        float apex = half - inset * slope / full, foot = (apex - base) * full / (2 * half);
        float normal_radius = 2 * half / slope, normal_y = full / slope;
        outline[count++] = (OutlinePoint){0, base, 0, -1};
        outline[count++] = (OutlinePoint){foot, base, 0, -1};
        outline[count++] = (OutlinePoint){foot, base, normal_radius, normal_y};
        outline[count++] = (OutlinePoint){0, apex, normal_radius, normal_y};
        return count;
    }
    case WEFT_SOLID_PLANE:
    case WEFT_SOLID_BOX:
        break;
    }
    return 0;
}

static void add_box(PictureMesh *mesh, const WeftSolid *solid, float inset,
                    const WeftTransform *transform)
{
    float half[3];
    for (int k = 0; k < 3; k++)
        half[k] = 0.5f * (float)solid->size[k] - inset;
    for (int side = 0; side < 6; side++)
    {
        int   axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        float sign = side % 2 ? 1 : -1, normal[3] = {0};
        normal[axis] = sign;
        uint32_t first = mesh->vertex_count;
        for (int corner = 0; corner < 4; corner++)
        {
            float p[3];
            p[axis] = sign * half[axis];
            p[u] = corner & 1 ? half[u] : -half[u];
            p[v] = corner & 2 ? half[v] : -half[v];
            weft_picture_mesh_add_vertex(
                mesh, place(transform, vec3(p[0], p[1], p[2]), false),
                place(transform, vec3(normal[0], normal[1], normal[2]), true));
        }
        weft_picture_mesh_add_triangle(mesh, first, first + 1, first + 3);
        weft_picture_mesh_add_triangle(mesh, first, first + 3, first + 2);
    }
}

// No solid loses more than a tenth of its thinnest part to the inset.
static float limit_inset(const WeftSolid *solid, float inset)
{
    double thin = fmin(2 * solid->radius, solid->height);
    if (solid->type == WEFT_SOLID_BOX)
        thin = fmin(solid->size[0], fmin(solid->size[1], solid->size[2]));
    else if (solid->type == WEFT_SOLID_SPHERE || solid->type == WEFT_SOLID_CAPSULE)
        thin = 2 * solid->radius;
    else if (solid->type == WEFT_SOLID_TORUS)
        thin = 2 * solid->tube_radius;
    return fminf(inset, 0.05f * (float)thin);
}

void weft_picture_solids_add(PictureStage *stage, const WeftScene *scene, double time, Vec3 sky,
                             float inset)
{
    size_t count = scene->solids_count;
    stage->meshes =
        weft_picture_resize(stage->meshes, stage->mesh_count + count, sizeof(PictureMesh));
    stage->planes =
        weft_picture_resize(stage->planes, stage->plane_count + count, sizeof(PicturePlane));
    for (size_t i = 0; i < count; i++)
    {
        const WeftSolid *solid = &scene->solids[i];
        WeftTransform    transform = weft_solid_place(solid, time);
        if (solid->type == WEFT_SOLID_PLANE)
        {
            Vec3 normal = place(&transform, vec3(0, 1, 0), true);
            Vec3 origin = place(&transform, vec3(0, 0, 0), false);
            stage->planes[stage->plane_count++] = (PicturePlane){normal, dot(normal, origin)};
            continue;
        }
        PictureMesh *mesh = &stage->meshes[stage->mesh_count++];
        float        less = limit_inset(solid, inset);
        *mesh = (PictureMesh){.front = vec3(0.42f, 0.42f, 0.43f), .back = vec3(0.3f, 0.3f, 0.3f)};
        if (solid->type == WEFT_SOLID_BOX)
            add_box(mesh, solid, less, &transform);
        else
        {
            OutlinePoint outline[MAX_OUTLINE];
            revolve(mesh, outline, make_outline(outline, solid, less), &transform);
        }
        // Down by the inset, as a gap to the floor would show.
        for (size_t v = 0; v < mesh->vertex_count; v++)
            mesh->positions[v] = mad(mesh->positions[v], -less, sky);
    }
}
