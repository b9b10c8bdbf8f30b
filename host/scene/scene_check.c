// scene_check.c: what is wrong only in context: keys that exclude or need each other, orders and
// sizes. All of it is refused here, before anything is built.
#include "scene_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "mesh.h"

// Below this a particle is so light that its inverse mass leaves the range of a 4-byte number.
#define MASS_LIMIT 1e-20 // kg

static double length_of(const double vector[3])
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

static WeftStatus check_keyframes(const WeftSource *source, const WeftPath *parent,
                                  const WeftKeyframe *keyframes, size_t count)
{
    for (size_t i = 1; i < count; i++)
    {
        if (keyframes[i].time > keyframes[i - 1].time)
            continue;
        WeftPath list = {.parent = parent, .key = "keyframes"};
        WeftPath element = {.parent = &list, .index = i};
        WeftPath time = {.parent = &element, .key = "time"};
        return weft_source_fail(source, &time,
                                "%g s is not after the keyframe before it (%g s); order keyframes "
                                "by increasing time",
                                keyframes[i].time, keyframes[i - 1].time);
    }
    return WEFT_OK;
}

static WeftStatus check_grid(const WeftSource *source, const WeftPath *cloth_path,
                             const WeftGrid *grid)
{
    WeftPath path = {.parent = cloth_path, .key = "grid"};
    for (size_t k = 0; k < 2; k++)
    {
        if (grid->size[k] > 0)
            continue;
        WeftPath size = {.parent = &path, .key = "size"};
        WeftPath element = {.parent = &size, .index = k};
        return weft_source_fail(source, &element,
                                "%g m would make edges of no length; give a size above 0",
                                grid->size[k]);
    }
    if (grid->shape == WEFT_GRID_TUBE && grid->counts[0] < 3)
        return weft_source_fail_keys(source, &path, "counts|shape",
                                     "a tube needs at least 3 particles around but counts[0] is "
                                     "%d; raise it or make the shape \"sheet\"",
                                     grid->counts[0]);
    return WEFT_OK;
}

static WeftStatus check_mass(const WeftSource *source, const WeftPath *path, const WeftCloth *cloth)
{
    double mass = cloth->particle_mass;
    if (mass == 0 && cloth->has_grid)
    {
        // A corner owns a quarter of a cell.
        double area = 0.25;
        for (size_t k = 0; k < 2; k++)
            area *= cloth->grid.size[k] / fmax(cloth->grid.counts[k] - 1, 1);
        mass = cloth->material.density * area;
    }
    else if (mass == 0)
        return WEFT_OK;
    if (mass >= MASS_LIMIT)
        return WEFT_OK;
    return weft_source_fail_keys(source, path, "particle_mass|material|grid",
                                 "its particles would weigh %g kg; give %g kg or more", mass,
                                 MASS_LIMIT);
}

// A direction is absent (zero) or long enough to be made a unit vector.
static WeftStatus check_direction(const WeftSource *source, const WeftPath *parent, const char *key,
                                  const double direction[3])
{
    bool absent = direction[0] == 0 && direction[1] == 0 && direction[2] == 0;
    if (absent || length_of(direction) >= 1e-9)
        return WEFT_OK;
    WeftPath path = {.parent = parent, .key = key};
    return weft_source_fail(source, &path,
                            "is too short for a direction; give one such as "
                            "[0, 1, 0]");
}

// How many of the four ways of naming particles a pin uses.
static int count_ways(const WeftPin *pin)
{
    return (pin->indices_count > 0) + (pin->corner != WEFT_CORNER_NONE) + pin->has_box +
           pin->has_sphere;
}

static WeftStatus check_pin_region(const WeftSource *source, const WeftPath *path,
                                   const WeftPin *pin)
{
    if (!pin->has_box)
        return WEFT_OK;
    for (size_t k = 0; k < 3; k++)
    {
        if (pin->box.min[k] <= pin->box.max[k])
            continue;
        WeftPath box = {.parent = path, .key = "box"};
        return weft_source_fail(source, &box, "min is above max along %c (%g > %g); exchange them",
                                "xyz"[k], pin -> box.min[k], pin->box.max[k]);
    }
    return WEFT_OK;
}

static WeftStatus check_pin(const WeftSource *source, const WeftPath *path, const WeftCloth *cloth,
                            const WeftPin *pin)
{
    int ways = count_ways(pin);
    if (ways != 1)
        return weft_source_fail_keys(source, path, "indices|corner|box|sphere",
                                     "%s; give exactly one of indices, corner, box and sphere",
                                     ways == 0 ? "names no particles"
                                               : "names its particles in more than one way");
    WEFT_TRY(check_direction(source, path, "free_along", pin->free_along));
    WEFT_TRY(check_direction(source, path, "fixed_along", pin->fixed_along));
    if (length_of(pin->free_along) > 0 && length_of(pin->fixed_along) > 0)
        return weft_source_fail_keys(source, path, "free_along|fixed_along",
                                     "has both free_along and fixed_along; give one of them");
    WEFT_TRY(check_pin_region(source, path, pin));

    // What can be known of a grid now is said now, with the line.
    size_t grid_count = (size_t)cloth->grid.counts[0] * (size_t)cloth->grid.counts[1];
    for (size_t i = 0; cloth->has_grid && i < pin->indices_count; i++)
    {
        if ((size_t)pin->indices[i] < grid_count)
            continue;
        WeftPath list = {.parent = path, .key = "indices"};
        WeftPath element = {.parent = &list, .index = i};
        return weft_source_fail(
            source, &element, "there is no particle %d; the grid has %d x %d, numbered 0 to %zu",
            pin->indices[i], cloth->grid.counts[0], cloth->grid.counts[1], grid_count - 1);
    }
    bool sheet = cloth->has_grid && cloth->grid.shape == WEFT_GRID_SHEET;
    if (pin->corner != WEFT_CORNER_NONE && !sheet)
    {
        WeftPath corner = {.parent = path, .key = "corner"};
        return weft_source_fail(source, &corner,
                                "only a grid of shape \"sheet\" has corners; use indices, box or "
                                "sphere here");
    }
    return check_keyframes(source, path, pin->keyframes, pin->keyframes_count);
}

static WeftStatus check_file(const WeftSource *source, const WeftPath *parent, const char *key,
                             const char *name)
{
    WeftPath path = {.parent = parent, .key = key};
    if (name != NULL && access(name, R_OK) != 0)
        return weft_source_fail(source, &path,
                                "\"%.300s\" cannot be read (%s); give a path relative to the scene "
                                "file",
                                name, strerror(errno));
    return WEFT_OK;
}

static WeftStatus check_mesh(const WeftSource *source, const WeftPath *cloth_path,
                             const WeftMeshFile *mesh)
{
    WeftPath path = {.parent = cloth_path, .key = "mesh"};
    if (mesh->file == NULL)
        return weft_source_fail(source, &path,
                                "has no file; name one, such as \"file\": \"shirt.obj\"");
    return check_file(source, &path, "file", mesh->file);
}

static WeftStatus check_cloth(const WeftSource *source, const WeftPath *path,
                              const WeftCloth *cloth)
{
    if (cloth->has_grid == cloth->has_mesh)
        return weft_source_fail_keys(
            source, path, "grid|mesh", "has %s grid %s mesh; give one of them",
            cloth->has_grid ? "both" : "neither", cloth->has_grid ? "and" : "nor");
    if (cloth->has_grid)
        WEFT_TRY(check_grid(source, path, &cloth->grid));
    else
        WEFT_TRY(check_mesh(source, path, &cloth->mesh));
    WEFT_TRY(check_mass(source, path, cloth));
    for (size_t i = 0; i < cloth->pins_count; i++)
    {
        WeftPath pins = {.parent = path, .key = "pins"};
        WeftPath pin = {.parent = &pins, .index = i};
        WEFT_TRY(check_pin(source, &pin, cloth, &cloth->pins[i]));
    }
    return WEFT_OK;
}

// Output files carry the names of cloths: they must be usable as such, and differ.
static WeftStatus check_cloth_name(const WeftSource *source, const WeftPath *path,
                                   const WeftScene *scene, size_t index)
{
    const char *name = scene->cloths[index].name;
    WeftPath    key = {.parent = path, .key = "name"};
    if (name == NULL)
        return WEFT_OK;
    if (strchr(name, '/') != NULL || name[0] == '.' || strlen(name) > 100)
        return weft_source_fail(source, &key,
                                "\"%.100s\" cannot be part of a file name; leave out / and a dot "
                                "at the beginning, and keep it below 100 letters",
                                name);
    for (size_t i = 0; i < index; i++)
        if (scene->cloths[i].name != NULL && strcmp(scene->cloths[i].name, name) == 0)
            return weft_source_fail(
                source, &key, "\"%s\" is already the name of cloths[%zu]; choose another", name, i);
    return WEFT_OK;
}

static WeftStatus check_cloths(const WeftSource *source, const WeftScene *scene)
{
    WeftPath list = {.key = "cloths"};
    if (scene->cloths_count == 0)
        return weft_source_fail(source, &list,
                                "the scene has no cloth; add one, such as \"cloths\": [{\"grid\": "
                                "{\"size\": [1, 1], \"counts\": [50, 50]}}]");
    size_t particle_count = 0;
    for (size_t i = 0; i < scene->cloths_count; i++)
    {
        const WeftCloth *cloth = &scene->cloths[i];
        WeftPath         path = {.parent = &list, .index = i};
        WEFT_TRY(check_cloth(source, &path, cloth));
        WEFT_TRY(check_cloth_name(source, &path, scene, i));
        if (cloth->has_grid)
            particle_count += (size_t)cloth->grid.counts[0] * (size_t)cloth->grid.counts[1];
        if (particle_count > WEFT_PARTICLE_LIMIT)
        {
            WeftPath grid = {.parent = &path, .key = "grid"};
            WeftPath counts = {.parent = &grid, .key = "counts"};
            return weft_source_fail(source, &counts,
                                    "makes %zu particles in all, more than the %d that weft can "
                                    "hold; give smaller counts",
                                    particle_count, WEFT_PARTICLE_LIMIT);
        }
    }
    return WEFT_OK;
}

static WeftStatus check_solid(const WeftSource *source, const WeftPath *path,
                              const WeftSolid *solid)
{
    for (size_t k = 0; solid->type == WEFT_SOLID_BOX && k < 3; k++)
    {
        if (solid->size[k] > 0)
            continue;
        WeftPath size = {.parent = path, .key = "size"};
        WeftPath element = {.parent = &size, .index = k};
        return weft_source_fail(source, &element, "%g m is no edge of a box; give one above 0",
                                solid->size[k]);
    }
    bool is_mesh = solid->type == WEFT_SOLID_MESH;
    if (!is_mesh && (solid->file != NULL || solid->animation != NULL))
        return weft_source_fail_keys(source, path, "file|animation",
                                     "only a solid of type \"mesh\" is read from files; add "
                                     "\"type\": \"mesh\", or leave them out");
    if (is_mesh && solid->file == NULL)
        return weft_source_fail(source, path,
                                "is a mesh but has no file; name one, such as \"file\": "
                                "\"body.obj\"");
    WEFT_TRY(check_file(source, path, "file", solid->file));
    WEFT_TRY(check_file(source, path, "animation", solid->animation));
    return check_keyframes(source, path, solid->keyframes, solid->keyframes_count);
}

WeftStatus weft_scene_check(const WeftSource *source, const WeftScene *scene)
{
    WEFT_TRY(check_cloths(source, scene));
    WeftPath list = {.key = "solids"};
    for (size_t i = 0; i < scene->solids_count; i++)
    {
        WeftPath path = {.parent = &list, .index = i};
        WEFT_TRY(check_solid(source, &path, &scene->solids[i]));
    }

    // Steps of a frame are counted in 32 bits; nobody waits for this many.
    double steps = 1 / (scene->frames_per_second * scene->step);
    if (steps > 1e9)
        return weft_source_fail_keys(source, NULL, "step|frames_per_second",
                                     "a frame would take %.3g steps; give a longer step or more "
                                     "frames_per_second",
                                     steps);
    return WEFT_OK;
}
