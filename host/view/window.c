// window.c: GLFW's window and events.
#include "view/window.h"

#include <string.h>

#include "gpu/instance.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

static const char *last_words(void)
{
    const char *words;
    return glfwGetError(&words) && words ? words : "no reason is given";
}

WeftStatus weft_window_system_start(void)
{
    if (!glfwInit())
        return weft_fail(WEFT_ERROR_INPUT, "there is no display to open a window on: %s",
                         last_words());
    uint32_t     count;
    const char **extensions = glfwGetRequiredInstanceExtensions(&count);
    if (!extensions)
        return weft_fail(WEFT_ERROR_INPUT,
                         "drawing needs a Vulkan device: no driver can draw on this display");
    weft_gpu_instance_want_window(extensions, count);
    return WEFT_OK;
}

void weft_window_system_stop(void)
{
    glfwTerminate();
}

// From places in the window to pixels, which may be smaller.
static void set_pointer(WeftWindow *window, double x, double y)
{
    int        width, height, pixel_width, pixel_height;
    WeftInput *input = &window->input;
    glfwGetWindowSize(window->handle, &width, &height);
    glfwGetFramebufferSize(window->handle, &pixel_width, &pixel_height);
    x *= width > 0 ? (double)pixel_width / width : 1;
    y *= height > 0 ? (double)pixel_height / height : 1;
    if (window->has_pointer)
    {
        input->dx += x - input->x;
        input->dy += y - input->y;
    }
    input->x = x;
    input->y = y;
    window->has_pointer = true;
}

static void on_pointer(GLFWwindow *handle, double x, double y)
{
    set_pointer(glfwGetWindowUserPointer(handle), x, y);
}

static void on_button(GLFWwindow *handle, int button, int action, int modifiers)
{
    WeftWindow *window = glfwGetWindowUserPointer(handle);
    WeftInput  *input = &window->input;
    bool        down = action == GLFW_PRESS;
    // Where the pointer was when the button went down is what its last motion said: by now, if a picture took long, it may
    // be elsewhere.
    if (!window->has_pointer)
    {
        double x, y;
        glfwGetCursorPos(handle, &x, &y);
        set_pointer(window, x, y);
    }
    input->shift = modifiers & GLFW_MOD_SHIFT;
    if (button == GLFW_MOUSE_BUTTON_LEFT)
    {
        input->left = down;
        if (down)
        {
            input->left_pressed = true;
            input->pressed_x = input->x;
            input->pressed_y = input->y;
        }
    }
    else if (button == GLFW_MOUSE_BUTTON_MIDDLE)
        input->middle = down;
    else if (button == GLFW_MOUSE_BUTTON_RIGHT)
        input->right = down;
}

static void on_scroll(GLFWwindow *handle, double x, double y)
{
    (void)x;
    ((WeftWindow *)glfwGetWindowUserPointer(handle))->input.scroll += y;
}

static void on_key(GLFWwindow *handle, int key, int code, int action, int modifiers)
{
    WeftInput *input = &((WeftWindow *)glfwGetWindowUserPointer(handle))->input;
    (void)code;
    (void)modifiers;
    // GLFW numbers the keys that weft has by their characters, all but Escape.
    char letter = key == GLFW_KEY_ESCAPE ? '\x1b' : key < 128 ? (char)key : 0;
    bool repeats = action == GLFW_REPEAT && letter == '.';
    if ((action == GLFW_PRESS || repeats) && letter && input->key_count < WEFT_INPUT_KEYS)
        input->keys[input->key_count++] = letter;
}

WeftStatus weft_window_create(WeftWindow *window, uint32_t width, uint32_t height,
                              const char *title)
{
    memset(window, 0, sizeof *window);
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    window->handle = glfwCreateWindow((int)width, (int)height, title, NULL, NULL);
    if (!window->handle)
        return weft_fail(WEFT_ERROR_FAILED, "the window does not open: %s", last_words());
    glfwSetWindowUserPointer(window->handle, window);
    glfwSetCursorPosCallback(window->handle, on_pointer);
    glfwSetMouseButtonCallback(window->handle, on_button);
    glfwSetScrollCallback(window->handle, on_scroll);
    glfwSetKeyCallback(window->handle, on_key);
    return WEFT_OK;
}

void weft_window_destroy(WeftWindow *window)
{
    if (window->handle)
        glfwDestroyWindow(window->handle);
    memset(window, 0, sizeof *window);
}

void weft_window_look(WeftWindow *window, double seconds, WeftInput *input)
{
    if (seconds > 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
    window->input.closed = glfwWindowShouldClose(window->handle);
    *input = window->input;
    window->input.key_count = 0;
    window->input.dx = window->input.dy = window->input.scroll = 0;
    window->input.left_pressed = false;
}

void weft_window_size(const WeftWindow *window, uint32_t *width, uint32_t *height)
{
    int pixel_width, pixel_height;
    glfwGetFramebufferSize(window->handle, &pixel_width, &pixel_height);
    bool hidden = glfwGetWindowAttrib(window->handle, GLFW_ICONIFIED);
    *width = hidden ? 0 : (uint32_t)pixel_width;
    *height = hidden ? 0 : (uint32_t)pixel_height;
}

void weft_window_set_title(WeftWindow *window, const char *title)
{
    glfwSetWindowTitle(window->handle, title);
}

WeftStatus weft_window_surface(const WeftWindow *window, WeftGpu *gpu, VkSurfaceKHR *surface)
{
    VK_TRY(glfwCreateWindowSurface(gpu->instance, window->handle, NULL, surface),
           "preparing the window to be drawn into");
    return WEFT_OK;
}
