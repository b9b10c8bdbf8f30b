// window.h: the window itself and what the user does in it. The only file that knows GLFW, with the panel.
#pragma once

#include <stdbool.h>

#include "gpu/device.h"

typedef struct GLFWwindow GLFWwindow;

enum
{
    WEFT_INPUT_KEYS = 32
};

// What was done since the last look. Places are in pixels from the upper left.
typedef struct WeftInput
{
    char   keys[WEFT_INPUT_KEYS]; // pressed, in order: capital letters, digits, ' ', '.', '\x1b'
    int    key_count;
    double x, y;                // of the pointer
    double dx, dy;              // its way
    double scroll;              // upwards
    bool   left, middle, right; // held down
    bool   left_pressed;        // since the last look, the place being where
    double pressed_x, pressed_y;
    bool   shift;
    bool   closed; // the window is asked to go
} WeftInput;

typedef struct WeftWindow
{
    GLFWwindow *handle;
    WeftInput   input;
    bool        has_pointer; // its place is known
} WeftWindow;

/// Starts the window system and tells the Vulkan instance what windows need; before any device is opened. Fails with
/// WEFT_ERROR_INPUT if there is no display. End with weft_window_system_stop() in any case.
WEFT_CHECKED WeftStatus weft_window_system_start(void);
void                    weft_window_system_stop(void);

/// Opens a window of that many pixels. Fails with WEFT_ERROR_FAILED. Free with weft_window_destroy(), which also takes
/// a zeroed one. `window` must not move in memory.
WEFT_CHECKED WeftStatus weft_window_create(WeftWindow *window, uint32_t width, uint32_t height,
                                           const char *title);
void                    weft_window_destroy(WeftWindow *window);

/// Hears what was done; waits for it up to `seconds`.
void weft_window_look(WeftWindow *window, double seconds, WeftInput *input);

/// Pixels; 0 while it is minimised.
void weft_window_size(const WeftWindow *window, uint32_t *width, uint32_t *height);
void weft_window_set_title(WeftWindow *window, const char *title);

/// What the device shows pictures on. Free with vkDestroySurfaceKHR().
WEFT_CHECKED WeftStatus weft_window_surface(const WeftWindow *window, WeftGpu *gpu,
                                            VkSurfaceKHR *surface);
