// writer_glb_mesh.c: triangles and texture coordinates of a cloth as glTF wants them.
#include "io/writer_glb.h"

#include <stdlib.h>
#include <string.h>

#include "io/texture.h"
#include "io/writer_formats.h"

enum
{
    NONE = UINT32_MAX
};

// The vertices that a particle was split into hang on a list.
typedef struct Splitter
{
    WeftGlbMesh *result;
    uint32_t    *next; // (vertex_count) the particle's next vertex, NONE after the last
    bool        *used; // (particles) whether the first one has its texture coordinate
} Splitter;

// The vertex of a particle with a texture coordinate; a new one if need be.
static uint32_t find_vertex(Splitter *splitter, uint32_t particle, const float uv[2])
{
    WeftGlbMesh *result = splitter->result;
    uint32_t     vertex = particle;
    if (splitter->used[particle])
        for (;;)
        {
            if (memcmp(result->texture + 2 * (size_t)vertex, uv, 2 * sizeof *uv) == 0)
                return vertex;
            if (splitter->next[vertex] == NONE)
            {
                splitter->next[vertex] = result->vertex_count;
                vertex = result->vertex_count++;
                break;
            }
            vertex = splitter->next[vertex];
        }
    splitter->used[particle] = true;
    splitter->next[vertex] = NONE;
    result->particles[vertex] = particle;
    memcpy(result->texture + 2 * (size_t)vertex, uv, 2 * sizeof *uv);
    return vertex;
}

// Triangles stand in the order of the faces they were cut from, one or two a face.
static void split_vertices(Splitter *splitter, const WeftMesh *mesh)
{
    size_t triangle = 0;
    for (size_t face = 0; face < mesh->face_count; face++)
    {
        const uint32_t *corners = mesh->face_corners + 4 * face;
        int             corner_count = weft_face_corner_count(mesh, face);
        uint32_t        vertices[4];
        for (int k = 0; k < corner_count; k++)
        {
            float uv[2];
            weft_texture_corner(mesh, face, k, uv);
            uv[1] = 1 - uv[1];
            vertices[k] = find_vertex(splitter, corners[k], uv);
        }
        size_t end = triangle + (size_t)corner_count - 2;
        for (; triangle < end; triangle++)
            for (size_t i = 3 * triangle; i < 3 * triangle + 3; i++)
                for (int k = 0; k < corner_count; k++)
                    if (corners[k] == mesh->triangles[i])
                        splitter->result->indices[i] = vertices[k];
    }
}

// Adds texture coordinates; at worst every corner of a face has its own.
static bool add_texture(WeftGlbMesh *result, const WeftMesh *mesh)
{
    size_t    most = mesh->vertex_count + 4 * (size_t)mesh->face_count;
    Splitter  splitter = {.result = result,
                          .next = malloc(most * sizeof(uint32_t)),
                          .used = calloc(mesh->vertex_count, sizeof(bool))};
    uint32_t *particles = realloc(result->particles, most * sizeof(uint32_t));
    if (particles)
        result->particles = particles;
    result->texture = calloc(most, 2 * sizeof(float));
    bool done = splitter.next && splitter.used && particles && result->texture;
    if (done)
        split_vertices(&splitter, mesh);
    free(splitter.next);
    free(splitter.used);
    return done;
}

WeftStatus weft_glb_mesh_create(WeftGlbMesh *result, const WeftMesh *mesh)
{
    uint32_t line_count = weft_chain_line_count(mesh);
    *result = (WeftGlbMesh){
        .vertex_count = mesh->vertex_count,
        .mode = mesh->face_count > 0 ? WEFT_GLB_TRIANGLES
                : line_count > 0     ? WEFT_GLB_LINES
                                     : WEFT_GLB_POINTS,
        .index_count = mesh->face_count > 0 ? 3 * mesh->triangle_count : 2 * line_count,
    };
    result->particles = malloc(mesh->vertex_count * sizeof(uint32_t));
    result->indices = malloc((result->index_count + 1) * sizeof(uint32_t));
    bool done = result->particles && result->indices;
    if (done)
    {
        for (uint32_t i = 0; i < mesh->vertex_count; i++)
            result->particles[i] = i;
        if (mesh->face_count > 0)
            memcpy(result->indices, mesh->triangles, result->index_count * sizeof(uint32_t));
        for (uint32_t i = 0; i < 2 * line_count; i++)
            result->indices[i] = (i / 2 + i % 2) % mesh->vertex_count;
        if (weft_texture_exists(mesh))
            done = add_texture(result, mesh);
    }
    return done ? WEFT_OK : weft_fail(WEFT_ERROR_FAILED, "out of memory for the output files");
}

void weft_glb_mesh_destroy(WeftGlbMesh *mesh)
{
    free(mesh->particles);
    free(mesh->texture);
    free(mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}
