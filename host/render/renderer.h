// renderer.h: draws a scene's cloth and solids with Vulkan into any image of the format it was made for.
//
//   WeftRenderer     renderer;
//   WeftRenderTarget target;                               // an image of its own, or a window's
//   WEFT_TRY(weft_renderer_create(&renderer, &wish));
//   WEFT_TRY(weft_render_target_create(&renderer, &target, 1280, 720, VK_NULL_HANDLE, VK_NULL_HANDLE));
//   WEFT_TRY(weft_renderer_draw(&renderer, &target, &shot));
//   // target.pixels.memory now holds the picture
//
// A picture is made in passes: particles from the state (compute), maps of depth as the light and parts of the sky see
// the scene, then the picture itself: all of it, or what is not in the ground that is kept (see ground.h).
#pragma once

#include "gpu/graphics.h"
#include "gpu/image.h"
#include "io/pixels.h"
#include "render/camera.h"
#include "render/ground.h"
#include "render/render.h"
#include "render/state.h"

typedef enum WeftShow
{
    WEFT_SHOW_FABRIC = SHOW_FABRIC,
    WEFT_SHOW_COMPONENTS = SHOW_COMPONENTS,
    WEFT_SHOW_STRETCH = SHOW_STRETCH,
    WEFT_SHOW_WIREFRAME = SHOW_WIREFRAME,
    WEFT_SHOW_COUNT
} WeftShow;

typedef struct WeftRenderQuality
{
    uint32_t samples;   // of a pixel, 1 or more; fewer where the device has fewer
    uint32_t key_size;  // texels along the light's map
    uint32_t sky_size;  // texels along a map of the sky
    uint32_t sky_count; // parts of the sky, at most SKY_MOST; 0 leaves folds and corners unshaded
    uint32_t taps;      // looks into the light's map for a point: more are softer
    bool
        keeps_ground; // as long as the eye stays where it is; only with one sample a pixel: see ground.h
} WeftRenderQuality;

#define WEFT_DEPTH_FORMAT VK_FORMAT_D32_SFLOAT

/// For pictures that are kept, and for a window on a slow device.
extern const WeftRenderQuality weft_quality_fine, weft_quality_quick;

typedef struct WeftRendererWish
{
    WeftGpu                *gpu;
    const WeftModel        *model; // its scene and meshes
    const WeftRenderSpring *springs;
    uint32_t                spring_count;
    WeftRenderQuality       quality;
    const WeftPixels       *texture;      // on the cloth; NULL for checks
    VkFormat                format;       // of the images to draw into
    VkImageLayout           final_layout; // that they are left in
} WeftRendererWish;

typedef enum WeftDrawing
{
    WEFT_DRAW_CLOTH, // one for each WeftShow
    WEFT_DRAW_SOLID = WEFT_DRAW_CLOTH + WEFT_SHOW_COUNT,
    WEFT_DRAW_PLANE,
    WEFT_DRAW_LIT_PLANE, // these two for a ground that is kept
    WEFT_DRAW_SHADE,
    WEFT_DRAW_BACKDROP,
    WEFT_DRAW_LINE,
    WEFT_DRAW_PIN,
    WEFT_DRAW_OVERLAY,
    WEFT_DRAW_DEPTH_CLOTH,
    WEFT_DRAW_DEPTH_SOLID,
    WEFT_DRAW_COUNT
} WeftDrawing;

typedef struct WeftRenderer
{
    WeftGpu              *gpu;
    WeftRenderQuality     quality;
    VkSampleCountFlagBits samples;
    VkFormat              format;
    WeftRenderSurface     surface;
    WeftRenderSolids      solids;
    WeftGpuImage          key_map, sky_maps, texture;
    VkImageView           map_views[1 + SKY_MOST];
    VkFramebuffer         map_frames[1 + SKY_MOST]; // the light's, then the sky's
    VkRenderPass          map_pass, picture_pass;
    VkRenderPass          ground_pass, dress_pass; // a ground that is kept, bare and dressed
    VkRenderPass          over_pass;               // the picture over it
    WeftGround            ground;
    VkSampler             map_sampler, texture_sampler;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool      set_pool;
    VkDescriptorSet       set;
    VkPipelineLayout      layout;
    VkPipeline            drawings[WEFT_DRAW_COUNT];
    WeftGpuPipeline       surface_f32, surface_f64, strain;
    WeftGpuBuffer         view, strokes; // on the host: what changes from picture to picture
    WeftGpuBuffer   reach; // the same: what throws shadows, in the light's map: low u, v, high u, v
    WeftGpuCommands commands;
} WeftRenderer;

typedef struct WeftRenderTarget
{
    uint32_t      width, height;
    WeftGpuImage  own;   // the image, if it was not given
    WeftGpuImage  color; // with several samples a pixel
    WeftGpuImage  depth;
    VkFramebuffer frame;
    VkImage       image;  // its own, or the one that was given
    WeftGpuBuffer pixels; // on the host, of an image of its own: (height x width x 4) bytes
} WeftRenderTarget;

// One picture.
typedef struct WeftShot
{
    WeftRenderState state;
    WeftCamera      camera;
    WeftShow        show;
    float           stretch_range; // WEFT_SHOW_STRETCH: what gets the last colour, such as 0.05
    bool            has_legend;

    // Draws more over all else, with pipelines that are foremost; NULL for nothing. What it drew for a picture is kept for the
    // next one that has the same number.
    void (*draw_over)(void *user, VkCommandBuffer buffer);
    void    *draw_user;
    uint64_t over_number;
} WeftShot;

/// Builds all that pictures of this scene have in common. Fails with WEFT_ERROR_INPUT if the device cannot draw. On
/// failure `renderer` is zeroed. Free with weft_renderer_destroy(), which also takes a zeroed one.
WEFT_CHECKED WeftStatus weft_renderer_create(WeftRenderer *renderer, const WeftRendererWish *wish);
void                    weft_renderer_destroy(WeftRenderer *renderer);

/// A place to draw into: `image` with the renderer's format, which can also be copied into if the renderer keeps the ground,
/// and its `view`; or, without them, an image of its own, whose pixels can be read.
/// Fails with WEFT_ERROR_INPUT if the device has no images of that size.
WEFT_CHECKED WeftStatus weft_render_target_create(WeftRenderer *renderer, WeftRenderTarget *target,
                                                  uint32_t width, uint32_t height, VkImage image,
                                                  VkImageView view);
void weft_render_target_destroy(WeftRenderer *renderer, WeftRenderTarget *target);

/// Whether the shaders encode colours, for a format that does not: see encode.glsl.
bool weft_renderer_encodes(const WeftRenderer *renderer);

/// Draws and waits. Pixels of an image of its own are then in target->pixels.
WEFT_CHECKED WeftStatus weft_renderer_draw(WeftRenderer *renderer, WeftRenderTarget *target,
                                           const WeftShot *shot);

/// Only records the drawing, for a caller who sends it off with more of his own. Until it is done, nothing else may be
/// recorded.
void weft_renderer_record(WeftRenderer *renderer, WeftGpuCommands *commands,
                          WeftRenderTarget *target, const WeftShot *shot);

/// For weft_renderer_create() and ground.c: passes.c, drawings.c.
WEFT_CHECKED WeftStatus weft_renderer_create_passes(WeftRenderer *renderer,
                                                    VkImageLayout final_layout);
WEFT_CHECKED WeftStatus weft_renderer_create_frame(WeftRenderer *renderer, VkFramebuffer *frame,
                                                   VkRenderPass pass, const VkImageView *views,
                                                   uint32_t view_count, uint32_t width,
                                                   uint32_t height);
WEFT_CHECKED WeftStatus weft_renderer_create_maps(WeftRenderer *renderer);
WEFT_CHECKED WeftStatus weft_renderer_create_texture(WeftRenderer     *renderer,
                                                     const WeftPixels *texture);
WEFT_CHECKED WeftStatus weft_renderer_create_set(WeftRenderer *renderer);
WEFT_CHECKED WeftStatus weft_renderer_create_drawings(WeftRenderer *renderer, bool has_texture);
