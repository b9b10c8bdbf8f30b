// instance.c: loader, instance and validation layer.
#include "instance.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    MOST_EXTENSIONS = 16
};

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

static struct
{
    pthread_mutex_t          lock;
    uint32_t                 holders;
    VkInstance               instance;
    VkDebugUtilsMessengerEXT messenger;
    const char *const       *window_extensions;
    uint32_t                 window_extension_count;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_uint message_count;

bool weft_gpu_is_validating(void)
{
    const char *value = getenv("WEFT_VALIDATE");
    return value && *value && strcmp(value, "0") != 0;
}

// GPU-assisted validation makes every shader many times as long.
static bool looks_into_shaders(void)
{
    const char *value = getenv("WEFT_VALIDATE");
    return value && strcmp(value, "calls") != 0;
}

void weft_gpu_instance_want_window(const char *const *extensions, uint32_t count)
{
    shared.window_extensions = extensions;
    shared.window_extension_count = count;
}

bool weft_gpu_instance_has_window(void)
{
    return shared.window_extension_count > 0;
}

uint32_t weft_gpu_validation_count(void)
{
    return atomic_load(&message_count);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL take_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT        types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                   void                                       *user)
{
    (void)types;
    (void)user;
    bool is_error = severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;

    // What the layer says of itself, what it cannot check on this device or how slow it will be, is no finding; once is
    // enough to be told.
    if (!is_error && data->pMessageIdName &&
        (strstr(data->pMessageIdName, "GPU-Assisted") ||
         strcmp(data->pMessageIdName, "VALIDATION-SETTINGS") == 0))
    {
        static atomic_flag told = ATOMIC_FLAG_INIT;
        if (!atomic_flag_test_and_set(&told))
            fprintf(stderr, "validation notice: %s\n", data->pMessage);
        return VK_FALSE;
    }
    atomic_fetch_add(&message_count, 1);
    fprintf(stderr, "validation %s: %s\n", is_error ? "error" : "warning", data->pMessage);
    return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(void)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = take_message,
    };
}

static bool has_layer(void)
{
    VkLayerProperties layers[64];
    uint32_t          count = 64;
    if (vkEnumerateInstanceLayerProperties(&count, layers) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(layers[i].layerName, validation_layer) == 0)
            return true;
    return false;
}

static bool has_extension(const char *name)
{
    VkExtensionProperties extensions[128];
    uint32_t              count = 128;
    if (vkEnumerateInstanceExtensionProperties(NULL, &count, extensions) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(extensions[i].extensionName, name) == 0)
            return true;
    return false;
}

static WeftStatus create_instance(void)
{
    if (volkInitialize() != VK_SUCCESS)
        return weft_fail(WEFT_ERROR_INPUT, "the Vulkan loader (libvulkan.so.1) is not installed");
    if (volkGetInstanceVersion() < VK_API_VERSION_1_2)
        return weft_fail(WEFT_ERROR_INPUT, "the Vulkan loader is older than version 1.2");

    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "weft",
        .apiVersion = VK_API_VERSION_1_2,
    };
    const char          *extensions[MOST_EXTENSIONS];
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .ppEnabledExtensionNames = extensions,
    };

    // Drivers that are Vulkan over another interface only show up on request.
    if (has_extension(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME))
    {
        extensions[info.enabledExtensionCount++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }

    for (uint32_t k = 0; k < shared.window_extension_count && k < MOST_EXTENSIONS - 3; k++)
        extensions[info.enabledExtensionCount++] = shared.window_extensions[k];

    // Validation; the messenger in the chain hears what vkCreateInstance itself has to say.
    VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info();
    const VkValidationFeatureEnableEXT enabled[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
        VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
        VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT,
    };
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount =
            looks_into_shaders() ? sizeof(enabled) / sizeof(enabled[0]) : 1,
        .pEnabledValidationFeatures = enabled,
    };
    const char *const layers[] = {validation_layer};
    bool              validating = weft_gpu_is_validating();
    if (validating)
    {
        if (!has_layer())
            return weft_fail(WEFT_ERROR_INPUT,
                             "WEFT_VALIDATE is set, but the layer %s is not "
                             "installed",
                             validation_layer);
        extensions[info.enabledExtensionCount++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
        extensions[info.enabledExtensionCount++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = layers;
        info.pNext = &features;
    }

    VkResult result = vkCreateInstance(&info, NULL, &shared.instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return weft_fail(WEFT_ERROR_INPUT, "there is no Vulkan driver");
    VK_TRY(result, "starting Vulkan");
    volkLoadInstance(shared.instance);
    if (validating)
        VK_TRY(vkCreateDebugUtilsMessengerEXT(shared.instance, &messenger, NULL, &shared.messenger),
               "starting Vulkan's validation");
    return WEFT_OK;
}

static void destroy_instance(void)
{
    if (shared.messenger)
        vkDestroyDebugUtilsMessengerEXT(shared.instance, shared.messenger, NULL);
    if (shared.instance)
        vkDestroyInstance(shared.instance, NULL);
    shared.messenger = VK_NULL_HANDLE;
    shared.instance = VK_NULL_HANDLE;
}

WeftStatus weft_gpu_instance_acquire(VkInstance *instance)
{
    WeftStatus status = WEFT_OK;
    pthread_mutex_lock(&shared.lock);
    if (shared.holders == 0)
        status = create_instance();
    if (status == WEFT_OK)
        shared.holders++;
    else
        destroy_instance();
    *instance = shared.instance;
    pthread_mutex_unlock(&shared.lock);
    return status;
}

void weft_gpu_instance_release(void)
{
    pthread_mutex_lock(&shared.lock);
    if (shared.holders > 0 && --shared.holders == 0)
        destroy_instance();
    pthread_mutex_unlock(&shared.lock);
}
