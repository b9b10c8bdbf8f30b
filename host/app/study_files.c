// study_files.c: the rows of studies as JSON, and the comparison of two such files.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "io/file.h"
#include "sim/pool.h"
#include "study.h"

// Slower or quicker by less than this is taken for noise.
#define NOISE 0.1

// "model name" of the first processor, where the system tells it.
static void processor_name(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char  line[256];
    snprintf(name, size, "unknown");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
    {
        char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || value == NULL)
            continue;
        value[strcspn(value, "\n")] = '\0';
        snprintf(name, size, "%s", value + 2);
        break;
    }
    if (file != NULL)
        fclose(file);
}

static json_t *row_json(const WeftStudyRow *row)
{
    json_t *item = json_pack(
        "{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "study", row->study,
        "scene", row->scene, "variant", row->variant, "particles", (int)row->particle_count,
        "steps", (int)row->step_count, "ms_per_step", row->step_ms, "ms_solve", row->solve_ms,
        "ms_label_and_order", row->order_ms, "cg_iterations", row->iterations,
        "row_vector_multiplies", row->multiplies, "implicit_springs", row->implicit_springs,
        "components", row->components, "mean_distance_from_first", row->apart);
    if (row->memory_bytes > 0)
        json_object_set_new(item, "bytes_a_particle", json_real(row->memory_bytes));
    return item;
}

WeftStatus weft_study_write(const char *path, const WeftStudyRow *rows, size_t row_count)
{
    char      processor[128], date[32];
    time_t    now = time(NULL);
    struct tm parts;
    processor_name(processor, sizeof(processor));
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &parts));
    json_t *list = json_array(),
           *root = json_pack("{s:s, s:s, s:s, s:i, s:o}", "weft", WEFT_VERSION, "date", date,
                             "processor", processor, "cores", weft_pool_core_count(), "rows", list);
    for (size_t k = 0; k < row_count; k++)
        json_array_append_new(list, row_json(&rows[k]));
    char    *text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(9));
    WeftFile file;
    json_decref(root);
    if (text == NULL)
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for %s", path);
    WeftStatus status = weft_file_begin(&file, path);
    if (status == WEFT_OK)
    {
        status = weft_file_put(&file, text, strlen(text));
        if (status == WEFT_OK)
            status = weft_file_put(&file, "\n", 1);
        if (status == WEFT_OK)
            status = weft_file_commit(&file);
        else
            weft_file_abandon(&file);
    }
    free(text);
    return status;
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text != NULL ? text : "";
}

static bool is_same_case(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"study", "scene", "variant"};
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
        if (strcmp(text_of(a, keys[k]), text_of(b, keys[k])) != 0)
            return false;
    return json_integer_value(json_object_get(a, "particles")) ==
           json_integer_value(json_object_get(b, "particles"));
}

static json_t *load_rows(const char *path, json_t **root)
{
    json_error_t error;
    *root = json_load_file(path, 0, &error);
    json_t *rows = json_object_get(*root, "rows");
    if (*root == NULL)
        fprintf(stderr, "weft bench: %s: %s\n", path, error.text);
    else if (!json_is_array(rows))
        fprintf(stderr,
                "weft bench: %s: no \"rows\": this is not a file of weft bench STUDY --json\n",
                path);
    return json_is_array(rows) ? rows : NULL;
}

// Returns how many cases were found in both.
static int compare_rows(const json_t *old_rows, const json_t *new_rows)
{
    int     found = 0;
    size_t  k, m;
    json_t *row, *before;
    json_array_foreach(new_rows, k, row)
    {
        json_array_foreach(old_rows, m, before)
        {
            double was = json_number_value(json_object_get(before, "ms_per_step"));
            double is = json_number_value(json_object_get(row, "ms_per_step"));
            if (!is_same_case(row, before) || !(was > 0) || !(is > 0))
                continue;
            found++;
            printf("%-15s %-28s %-22s %9.3f %9.3f ms  %5.2f  %s\n", text_of(row, "study"),
                   text_of(row, "scene"), text_of(row, "variant"), was, is, is / was,
                   is / was > 1 + NOISE   ? "slower"
                   : is / was < 1 - NOISE ? "quicker"
                                          : "");
            break;
        }
    }
    return found;
}

int weft_study_compare(const char *old_path, const char *new_path)
{
    json_t *old_root, *new_root = NULL, *new_rows = NULL;
    json_t *old_rows = load_rows(old_path, &old_root);
    int     status = WEFT_EXIT_WRONG_USE;
    if (old_rows != NULL)
        new_rows = load_rows(new_path, &new_root);
    if (old_rows != NULL && new_rows != NULL)
    {
        printf("%-15s %-28s %-22s %9s %9s     %5s\n", "study", "scene", "variant", "old", "new",
               "ratio");
        status = 0;
        if (compare_rows(old_rows, new_rows) == 0)
        {
            fprintf(stderr, "weft bench: %s and %s have no case in common\n", old_path, new_path);
            status = WEFT_EXIT_WRONG_USE;
        }
    }
    json_decref(old_root);
    json_decref(new_root);
    return status;
}
