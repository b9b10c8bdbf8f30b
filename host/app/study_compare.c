// study_compare.c: two files of figures, compared.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "study.h"

// Slower or quicker by less than this is taken for noise.
#define NOISE 0.1

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
