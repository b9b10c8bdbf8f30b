// scene.c: scene files into memory: read, parse, set, decode, check, in that order.
#include "scene.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene_json.h"
#include "scene_table.h"

// A scene names its meshes by file, so even long lists of pins stay far below this.
#define FILE_LIMIT ((size_t)256 << 20)

extern const char weft_default_scene[];

// Reads a whole text file, with a zero at its end.
static WeftStatus read_text(const char *path, char **text)
{
    *text = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return weft_fail(WEFT_ERROR_INPUT, "%s: the scene cannot be opened (%s)", path,
                         strerror(errno));
    struct stat info;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode))
    {
        fclose(file);
        return weft_fail(WEFT_ERROR_INPUT, "%s: is a folder; name a scene file in it", path);
    }

    size_t size = 0, capacity = 1 << 16;
    char  *buffer = malloc(capacity);
    while (buffer != NULL)
    {
        size += fread(buffer + size, 1, capacity - size, file);
        if (size < capacity || capacity > FILE_LIMIT)
            break;
        capacity *= 2;
        char *larger = realloc(buffer, capacity);
        if (larger == NULL)
            free(buffer);
        buffer = larger;
    }
    bool failed = ferror(file) != 0;
    int  error = errno;
    fclose(file);
    if (buffer == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "%s: out of memory", path);
    if (failed || size == capacity || memchr(buffer, '\0', size) != NULL)
    {
        free(buffer);
        if (failed)
            return weft_fail(WEFT_ERROR_INPUT, "%s: the scene cannot be read (%s)", path,
                             strerror(error));
        return weft_fail(WEFT_ERROR_INPUT, "%s: is not a scene; a scene is JSON text", path);
    }
    buffer[size] = '\0';
    *text = buffer;
    return WEFT_OK;
}

static WeftStatus fail_syntax(const char *label, const json_error_t *error)
{
    // The library says: duplicate object key near '"step"'.
    const char *near = strstr(error->text, " near ");
    if (json_error_code(error) == json_error_duplicate_key)
        return weft_fail(WEFT_ERROR_INPUT, "%s:%d: the same key is given twice%s; keep one", label,
                         error->line, near != NULL ? near : "");
    return weft_fail(WEFT_ERROR_INPUT,
                     "%s:%d: not valid JSON: %s; check commas, quotes and brackets up to here",
                     label, error->line > 0 ? error->line : 1, error->text);
}

// Makes the path of a file relative to where the scene's own path is.
static WeftStatus resolve_file(char **file, const char *folder)
{
    if (*file == NULL || (*file)[0] == '/')
        return WEFT_OK;
    size_t size = strlen(folder) + 1 + strlen(*file) + 1;
    char  *path = malloc(size);
    if (path == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory");
    snprintf(path, size, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", *file);
    free(*file);
    *file = path;
    return WEFT_OK;
}

static WeftStatus resolve_files(WeftScene *scene, const char *folder)
{
    if (folder == NULL || folder[0] == '\0')
        return WEFT_OK;
    for (size_t i = 0; i < scene->cloths_count; i++)
        WEFT_TRY(resolve_file(&scene->cloths[i].mesh.file, folder));
    for (size_t i = 0; i < scene->solids_count; i++)
    {
        WEFT_TRY(resolve_file(&scene->solids[i].file, folder));
        WEFT_TRY(resolve_file(&scene->solids[i].animation, folder));
    }
    return WEFT_OK;
}

static WeftStatus fill_scene(WeftScene *scene, const WeftSource *source, json_t *document)
{
    if (json_is_object(document))
        WEFT_TRY(weft_scene_apply_settings(source, document));
    WEFT_TRY(weft_scene_decode(source, document, scene));
    WEFT_TRY(resolve_files(scene, source->folder));
    return weft_scene_check(source, scene);
}

WeftStatus weft_scene_parse(WeftScene *scene, const char *text, const char *label,
                            const char *folder, const char *const *settings, size_t setting_count)
{
    memset(scene, 0, sizeof(*scene));

    // Some editors begin a file with a byte order mark, which JSON does not know.
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    json_error_t error;
    json_t      *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        return fail_syntax(label, &error);

    WeftSetting *parsed = calloc(setting_count + 1, sizeof(*parsed));
    WeftStatus   status = WEFT_OK;
    if (parsed == NULL)
        status = weft_fail(WEFT_ERROR_FAILED, "out of memory");
    for (size_t i = 0; status == WEFT_OK && i < setting_count; i++)
        status = weft_setting_parse(&parsed[i], settings[i]);

    WeftSource source = {.label = label,
                         .text = text,
                         .folder = folder,
                         .settings = parsed,
                         .setting_count = setting_count};
    if (status == WEFT_OK)
        status = fill_scene(scene, &source, document);
    if (status != WEFT_OK)
        weft_scene_destroy(scene);
    free(parsed);
    json_decref(document);
    return status;
}

WeftStatus weft_scene_load(WeftScene *scene, const char *path, const char *const *settings,
                           size_t setting_count)
{
    memset(scene, 0, sizeof(*scene));
    if (path == NULL)
        return weft_scene_parse(scene, weft_default_scene, "built-in scene", NULL, settings,
                                setting_count);

    char *text;
    WEFT_TRY(read_text(path, &text));
    const char *slash = strrchr(path, '/');
    char       *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    WeftStatus  status = folder != NULL
                             ? weft_scene_parse(scene, text, path, folder, settings, setting_count)
                             : weft_fail(WEFT_ERROR_FAILED, "out of memory");
    free(folder);
    free(text);
    return status;
}

void weft_scene_destroy(WeftScene *scene)
{
    weft_section_release(WEFT_SECTION_WeftScene, scene);
}

bool weft_is_same_file(const char *file, const char *other)
{
    struct stat a, b;
    return file != NULL && stat(file, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool weft_scene_reads(const WeftScene *scene, const char *path)
{
    for (size_t i = 0; i < scene->cloths_count; i++)
        if (weft_is_same_file(scene->cloths[i].mesh.file, path))
            return true;
    for (size_t i = 0; i < scene->solids_count; i++)
        if (weft_is_same_file(scene->solids[i].file, path) ||
            weft_is_same_file(scene->solids[i].animation, path))
            return true;
    return false;
}

size_t weft_scene_frame_count(const WeftScene *scene)
{
    return (size_t)llround(scene->duration * scene->frames_per_second);
}

const char *weft_scene_choice_word(const char *key, int value)
{
    const WeftField *field = weft_field_find(key);
    if (field == NULL || field->kind != WEFT_FIELD_CHOICE || value < 0)
        return "?";
    const char *word = weft_field_word(field, (size_t)value);
    return word != NULL ? word : "?";
}
