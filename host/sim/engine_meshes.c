// engine_meshes.c: the meshes of solids as the engine looks at them: trees of boxes, and the shapes at both ends of a step.
#include "sim/engine.h"

#include <math.h>
#include <string.h>

#include "mesh_distance.h"

static size_t shape_reals(const WeftSolidMesh *mesh)
{
    return 6 * (size_t)mesh->vertex_count + 3 * (size_t)mesh->edge_count;
}

static size_t box_reals(const WeftSolidMesh *mesh)
{
    return 6 * (2 * (size_t)mesh->leaf_count - 1);
}

static MeshShape shape_at(const MeshPool *pool, const WeftSolidMesh *mesh, uint32_t place)
{
    const real *points = pool->reals + place;
    const real *point_normals = points + 3 * (size_t)mesh->vertex_count;
    return (MeshShape){points, point_normals, point_normals + 3 * (size_t)mesh->vertex_count};
}

// Points and normals of the mesh at a time.
static void fill_shape(Engine *engine, const WeftSolidMesh *mesh, uint32_t place, double time)
{
    size_t  points = 3 * (size_t)mesh->vertex_count;
    double *work = engine->mesh_work;
    weft_solid_mesh_points(mesh, time, work);
    weft_solid_mesh_normals(mesh, work, work + points, work + 2 * points);
    for (size_t k = 0; k < shape_reals(mesh); k++)
        engine->data.meshes.reals[place + k] = (real)work[k];
}

static void grow_box(real box[6], const real *low, const real *high)
{
    for (int axis = 0; axis < 3; axis++)
    {
        box[axis] = low[axis] < box[axis] ? low[axis] : box[axis];
        box[3 + axis] = high[axis] > box[3 + axis] ? high[axis] : box[3 + axis];
    }
}

// Boxes around the triangles of each leaf over the whole step, then around two boxes at a time.
static void fill_boxes(Engine *engine, const SolidData *solid, uint32_t place)
{
    const MeshTree *tree = solid->mesh;
    real           *boxes = engine->data.meshes.reals + place;
    for (uint32_t node = 2 * tree->leaf_count - 1; node-- > 0;)
    {
        real *box = boxes + 6 * (size_t)node;
        for (int axis = 0; axis < 3; axis++)
        {
            box[axis] = INFINITY;
            box[3 + axis] = -INFINITY;
        }
        if (node < tree->leaf_count - 1)
        {
            for (uint32_t below = 2 * node + 1; below <= 2 * node + 2; below++)
                grow_box(box, boxes + 6 * (size_t)below, boxes + 6 * (size_t)below + 3);
            continue;
        }
        uint32_t leaf = node - (tree->leaf_count - 1);
        for (size_t k = 3 * (size_t)leaf_begin(tree, leaf);
             k < 3 * (size_t)leaf_begin(tree, leaf + 1); k++)
        {
            const real *before = solid->before.shape.points + 3 * (size_t)tree->corners[k];
            const real *after = solid->after.shape.points + 3 * (size_t)tree->corners[k];
            grow_box(box, before, before);
            grow_box(box, after, after);
        }
    }
}

// The places of a mesh's parts in the pool.
static void lay_out(MeshPool *pool, const WeftSolidMesh *mesh, uint32_t *row, uint32_t *word,
                    uint32_t *place)
{
    uint32_t corners = 3 * mesh->triangle_count, reals = (uint32_t)shape_reals(mesh);
    row[MESH_TRIANGLE_COUNT] = mesh->triangle_count;
    row[MESH_LEAF_COUNT] = mesh->leaf_count;
    row[MESH_POINT_COUNT] = mesh->vertex_count;
    row[MESH_CORNERS] = *word;
    row[MESH_EDGES] = *word + corners;
    memcpy(pool->words + *word, mesh->triangles, corners * sizeof(uint32_t));
    memcpy(pool->words + *word + corners, mesh->edges, corners * sizeof(uint32_t));
    *word += 2 * corners;
    row[MESH_BOXES] = *place;
    row[MESH_BEFORE] = *place + (uint32_t)box_reals(mesh);
    row[MESH_AFTER] = row[MESH_BEFORE] + (mesh->frame_count > 0 ? reals : 0);
    *place = row[MESH_AFTER] + reals;
}

void WEFT_PRECISE(weft_engine_take_meshes)(Engine *engine)
{
    EngineData      *data = &engine->data;
    MeshPool        *pool = &data->meshes;
    const WeftModel *model = engine->model;
    size_t words = (size_t)MESH_WORDS * data->solid_count, resting = 0, animated = 0, work = 0;
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        const WeftSolidMesh *mesh = &model->solid_meshes[k];
        size_t               reals = shape_reals(mesh);
        if (mesh->triangle_count == 0)
            continue;
        words += 6 * (size_t)mesh->triangle_count;
        if (mesh->frame_count > 0)
            animated += box_reals(mesh) + 2 * reals;
        else
            resting += box_reals(mesh) + reals;
        work = reals > work ? reals : work;
    }
    if (work == 0)
        return;
    pool->word_count = (uint32_t)words;
    pool->resting_count = (uint32_t)resting;
    pool->real_count = (uint32_t)(resting + animated);
    pool->words = WEFT_PRECISE(weft_arena_take)(&engine->arena, words, sizeof(uint32_t));
    pool->reals = WEFT_PRECISE(weft_arena_take)(&engine->arena, resting + animated, sizeof(real));
    pool->trees =
        WEFT_PRECISE(weft_arena_take)(&engine->arena, data->solid_count, sizeof(MeshTree));
    engine->mesh_work = WEFT_PRECISE(weft_arena_take)(&engine->arena, work, sizeof(double));
    if (engine->arena.failed)
        return;

    uint32_t word = MESH_WORDS * data->solid_count, place[2] = {0, (uint32_t)resting};
    for (uint32_t k = 0; k < data->solid_count; k++)
    {
        const WeftSolidMesh *mesh = &model->solid_meshes[k];
        SolidData           *solid = &data->solids[k];
        uint32_t            *row = pool->words + MESH_WORDS * k;
        if (mesh->triangle_count == 0)
            continue;
        lay_out(pool, mesh, row, &word, &place[mesh->frame_count > 0]);
        pool->trees[k] =
            (MeshTree){mesh->triangle_count, mesh->leaf_count, pool->words + row[MESH_CORNERS],
                       pool->words + row[MESH_EDGES], pool->reals + row[MESH_BOXES]};
        solid->mesh = &pool->trees[k];
        solid->before.shape = shape_at(pool, mesh, row[MESH_BEFORE]);
        solid->after.shape = shape_at(pool, mesh, row[MESH_AFTER]);
        if (mesh->frame_count > 0)
            continue;
        fill_shape(engine, mesh, row[MESH_BEFORE], 0);
        fill_boxes(engine, solid, row[MESH_BOXES]);
    }
}

void WEFT_PRECISE(weft_engine_place_mesh)(Engine *engine, uint32_t k, double time, double h)
{
    const WeftSolidMesh *mesh = &engine->model->solid_meshes[k];
    const uint32_t      *row = engine->data.meshes.words + MESH_WORDS * k;
    if (mesh->frame_count == 0)
        return;
    fill_shape(engine, mesh, row[MESH_BEFORE], time);
    fill_shape(engine, mesh, row[MESH_AFTER], time + h);
    fill_boxes(engine, &engine->data.solids[k], row[MESH_BOXES]);
}
