// solids.h: the solids of a scene as meshes on the device, and where they stand at a time. Planes stay apart: they have
// no end.
#pragma once

#include "gpu/memory.h"
#include "render/solid_shape.h"
#include "render/vec3.h"
#include "sim/model.h"

typedef struct WeftRenderSolid
{
    const WeftSolid *solid;
    bool             is_plane;
    uint32_t         first_vertex, vertex_count;
    uint32_t         first_index, index_count;
    float            inset;     // m, by which it is drawn smaller
    WeftSolidShape   shape;     // of a mesh; else zeroed
    Vec3             low, high; // the box around it, in its own coordinates
} WeftRenderSolid;

typedef struct WeftRenderSolids
{
    WeftGpu         *gpu;
    Vec3             up;                             // against gravity
    uint32_t         cells, flat_cells, plane_cells; // along a curve, a flat face, a plane
    size_t           count;
    WeftRenderSolid *list;
    Vec3            *places, *normals; // (vertex_count) in each solid's own coordinates
    uint32_t         vertex_count, vertex_room;
    uint32_t        *indices;
    uint32_t         index_count, index_room;
    uint32_t         plane_first_index, plane_index_count;     // of the grid that all planes share
    WeftGpuBuffer vertex_buffer, plane_vertices, index_buffer; // on the host if a mesh is animated
} WeftRenderSolids;

/// Builds the meshes of the model's solids; it must outlive them. Solids are drawn smaller by `inset` metres, at most, so that their edges do not poke through a
/// coarse cloth that lies on them; `is_fine` cuts them finely, for light that is computed at vertices. On failure `solids` is zeroed. Free with weft_render_solids_destroy(), which also
/// takes a zeroed one.
WEFT_CHECKED WeftStatus weft_render_solids_create(WeftGpu *gpu, WeftRenderSolids *solids,
                                                  const WeftModel *model, float inset,
                                                  bool is_fine);
void                    weft_render_solids_destroy(WeftRenderSolids *solids);

/// Brings animated meshes into their shape at a time. Nothing that is drawn with the one before may be under way.
void weft_render_solids_shape(WeftRenderSolids *solids, double time);

/// Rows (3 x 4) of a solid's place at a time: world = rows * (local, 1).
void weft_render_solid_rows(const WeftRenderSolids *solids, size_t index, double time,
                            float rows[12]);

/// The same for a plane, whose middle is put at the point nearest to `focus`.
void weft_render_plane_rows(const WeftRenderSolids *solids, size_t index, double time, Vec3 focus,
                            float rows[12]);

/// Against gravity; y where there is none.
Vec3 weft_scene_up(const WeftScene *scene);

static inline Vec3 weft_rows_apply(const float rows[12], Vec3 v, float w)
{
    return vec3(rows[0] * v.x + rows[1] * v.y + rows[2] * v.z + rows[3] * w,
                rows[4] * v.x + rows[5] * v.y + rows[6] * v.z + rows[7] * w,
                rows[8] * v.x + rows[9] * v.y + rows[10] * v.z + rows[11] * w);
}
