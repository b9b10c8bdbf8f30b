// picture.h: the parts of weft-picture and how they meet.
//
//   frames -> meshes (cloth, solids, planes) = stage -> lights with depth maps -> panel of the
//   image
//
// The tool renders once and exits, so running out of memory ends it at once (weft_picture_resize).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "picture_math.h"
#include "scene/scene.h"

// A surface to draw. Zero is an empty one.
typedef struct PictureMesh
{
    uint32_t  vertex_count, vertex_room;
    Vec3     *positions; // (vertex_count) m
    Vec3     *normals;   // (vertex_count) unit length
    Vec3     *tints;     // (vertex_count) colour of each vertex, NULL to use front and back
    uint32_t  triangle_count, triangle_room;
    uint32_t *triangles;     // (triangle_count x 3)
    uint32_t  point_count;   // leading vertices that stand in the frame file; the rest are tubes
    Vec3      front, back;   // linear reflectance of the two sides
    float     transmission;  // part of the light from behind that shines through
    uint32_t  grid_width;    // vertices in a row; 0 draws no checks
    bool      grid_closed;   // the last column meets the first
    float     check_size[2]; // columns and rows in a check
} PictureMesh;

// An infinite floor, ramp or wall, solid where dot(normal, p) < offset.
typedef struct PicturePlane
{
    Vec3  normal;
    float offset; // m
} PicturePlane;

// All that is seen at one moment.
typedef struct PictureStage
{
    PictureMesh  *meshes;
    size_t        mesh_count, cloth_count; // cloths come first
    PicturePlane *planes;
    size_t        plane_count;
} PictureStage;

typedef struct PictureCamera
{
    Vec3  eye, target;        // m
    Vec3  right, up, forward; // unit vectors
    Vec3  sky;                // against gravity
    float half_height;        // tangent of half the vertical field of view
    Vec3  focus;              // middle of what is lit with care, m
    float focus_radius;       // m; beyond there are no shadows, and floors fade
} PictureCamera;

// One direction that light comes from, and how far it reaches: an orthographic depth map.
typedef struct PictureLight
{
    Vec3   direction; // towards the light
    Vec3   color;
    Vec3   across, along;   // axes of the map, 1/texel long
    float  shift[2];        // texels from the origin of space to the map's corner
    float  texel;           // m
    float  low[2], high[2]; // part of the map where there is something, texels
    int    size;            // texels a side
    float *depth;           // (size x size) highest dot(direction, p) seen
} PictureLight;

typedef struct PictureLights
{
    size_t        count;
    PictureLight *lights;
} PictureLights;

// 8-bit sRGB.
typedef struct PictureImage
{
    int      width, height;
    uint8_t *pixels; // (height x width x 3)
} PictureImage;

// The OBJ files of one moment, in the order of the scene's cloths.
typedef struct PictureFrame
{
    char   **paths;
    size_t   path_count;
    unsigned number; // from the file name
} PictureFrame;

typedef struct PictureFrames
{
    PictureFrame *frames;
    size_t        count;
} PictureFrames;

/// Reallocates to hold `count` elements of `size` bytes; ends the program if there is no memory.
void *weft_picture_resize(void *memory, size_t count, size_t size);

// picture_mesh.c
uint32_t weft_picture_mesh_add_vertex(PictureMesh *mesh, Vec3 position, Vec3 normal);
void     weft_picture_mesh_add_triangle(PictureMesh *mesh, uint32_t a, uint32_t b, uint32_t c);
void     weft_picture_mesh_destroy(PictureMesh *mesh);
/// Mean length of the triangles' sides; 0 for a mesh without triangles.
float weft_picture_mesh_spacing(const PictureMesh *mesh);
/// Reads an OBJ file of triangles, quads and lines; lines become tubes. Fails with
/// WEFT_ERROR_INPUT, naming file and line. On failure `mesh` is empty.
WEFT_CHECKED WeftStatus weft_picture_mesh_load(PictureMesh *mesh, const char *path);
/// Colours each vertex by the component that it was solved in. The file holds one whole number a
/// particle, over all cloths of the frame; 4294967295 or -1 is a particle that is held.
WEFT_CHECKED WeftStatus weft_picture_labels_apply(PictureMesh *cloths, size_t cloth_count,
                                                  const char *path);

// picture_solids.c
/// Adds the scene's solids at `time` to the stage. Solids are drawn `inset` metres smaller, so that
/// their edges do not poke through a coarse cloth that lies on them; `sky` points upwards.
void weft_picture_solids_add(PictureStage *stage, const WeftScene *scene, double time, Vec3 sky,
                             float inset);

// picture_frames.c
/// Finds the frames that the arguments name: OBJ files (comma-separated or one by one), together
/// one frame, or one folder of frames. Free with weft_picture_frames_destroy().
WEFT_CHECKED WeftStatus weft_picture_frames_find(PictureFrames *frames, char *const *arguments,
                                                 size_t argument_count, const WeftScene *scene);
void                    weft_picture_frames_destroy(PictureFrames *frames);

// picture_camera.c
/// A three-quarter view from above that shows the cloths of all stages in a panel of width/height
/// `aspect`. `from` and `at` replace eye and target where not NULL; `zoom` enlarges.
PictureCamera weft_picture_camera_fit(const PictureStage *stages, size_t stage_count, Vec3 sky,
                                      float aspect, const Vec3 *from, const Vec3 *at, float zoom);

// picture_raster.c
// Rows top..bottom-1 of a grid of samples; a sample keeps the highest depth value drawn over it.
typedef struct PictureRaster
{
    int       width, top, bottom;
    float    *depth;
    uint32_t *ids; // may be NULL
} PictureRaster;
/// Draws a triangle of (x, y, depth) corners; sample (i, j) lies at (i + 0.5, j + 0.5).
void weft_picture_raster_triangle(PictureRaster *raster, const float corners[3][3], uint32_t id);

// picture_light.c
/// Key light and sky, with the shadows that the stage's meshes throw.
PictureLights weft_picture_lights_create(const PictureStage *stage, const PictureCamera *camera);
void          weft_picture_lights_destroy(PictureLights *lights);
/// Light that arrives at a surface point, 1 on an open horizontal floor.
Vec3 weft_picture_lights_gather(const PictureLights *lights, Vec3 position, Vec3 normal, Vec3 sky,
                                float transmission);

// picture_render.c
/// Draws the stage into columns left..left+width-1 of the image.
void weft_picture_render(PictureImage *image, int left, int width, const PictureStage *stage,
                         const PictureCamera *camera);

// picture_png.c
/// Writes to a temporary name first, so that no half-written picture is ever seen.
WEFT_CHECKED WeftStatus weft_picture_png_write(const PictureImage *image, const char *path);
