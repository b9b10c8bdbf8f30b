// study_files.c: the rows of studies as JSON and as a table.
//
// JSON: what was run where and when, then "rows", one line each. A row's "frames" say how large the components were at the end of
// each frame ("components" and "particles" of class k: 2^k to 2^(k+1) - 1 particles) and which springs couple ("springs": slack,
// explicit, at a held particle, coupling; "left" and "largest": components that are left, and particles of the largest, if slack
// springs cut, explicit ones, too, and held particles, too). "fits" has exponents of the cost against the number of particles.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "io/file.h"
#include "sim/pool.h"
#include "study.h"

#define FORM (JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(7))

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

// A list without the zeros at its end.
static json_t *counts_json(const uint32_t *counts, size_t length)
{
    json_t *list = json_array();
    while (length > 0 && counts[length - 1] == 0)
        length--;
    for (size_t k = 0; k < length; k++)
        json_array_append_new(list, json_integer(counts[k]));
    return list;
}

static json_t *frame_json(const WeftStudyFrame *frame)
{
    const WeftCouplings *couplings = &frame->couplings;
    return json_pack("{s:f, s:I, s:f, s:i, s:o, s:o, s:[i,i,i,i], s:[i,i,i], s:[i,i,i]}", "time",
                     frame->time, "multiplies", (json_int_t)frame->multiplies, "apart",
                     frame->apart, "held", (int)frame->sizes.held, "components",
                     counts_json(frame->sizes.components, WEFT_SIZE_CLASSES), "particles",
                     counts_json(frame->sizes.particles, WEFT_SIZE_CLASSES), "springs",
                     (int)couplings->slack, (int)couplings->by_explicit, (int)couplings->at_held,
                     (int)couplings->coupling, "left", (int)couplings->components[0],
                     (int)couplings->components[1], (int)couplings->components[2], "largest",
                     (int)couplings->largest[0], (int)couplings->largest[1],
                     (int)couplings->largest[2]);
}

static json_t *row_json(const WeftStudyRow *row)
{
    json_t *item = json_object(), *stages = json_object(), *frames = json_array();
#define TEXT_COLUMN(name, value) json_object_set_new(item, name, json_string(value));
#define WHOLE_COLUMN(name, value) json_object_set_new(item, name, json_integer(value));
#define REAL_COLUMN(name, value) json_object_set_new(item, name, json_real(value));
#include "study_columns.def"
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        json_object_set_new(stages, weft_stage_name((WeftStage)stage),
                            json_real(row->stage_ms[stage]));
    json_object_set_new(item, "ms_by_stage", stages);
    for (size_t k = 0; k < row->frame_count; k++)
        json_array_append_new(frames, frame_json(&row->frames[k]));
    json_object_set_new(item, "frames", frames);
    return item;
}

// Prints a value, which it then frees, in one line.
static void print_json(FILE *stream, const char *before, json_t *value, const char *after)
{
    char *text = json_dumps(value, FORM);
    fprintf(stream, "%s%s%s", before, text != NULL ? text : "null", after);
    free(text);
    json_decref(value);
}

// Exponents of the rows of a study that varies nothing but the size.
static json_t *fits_json(const WeftStudyRow *rows, size_t row_count)
{
    json_t *fits = json_object();
    for (size_t begin = 0, end; begin < row_count; begin = end)
    {
        for (end = begin; end < row_count && strcmp(rows[end].study, rows[begin].study) == 0;)
            end++;
        WeftStudyFit fit = weft_study_fit(rows + begin, end - begin);
        if (strcmp(rows[begin].study, "scaling") == 0 && isfinite(fit.step + fit.iteration))
            json_object_set_new(
                fits, rows[begin].study,
                json_pack("{s:f, s:f}", "step", fit.step, "iteration", fit.iteration));
    }
    return fits;
}

static void print_all(FILE *stream, const WeftStudyRow *rows, size_t row_count)
{
    char           processor[128], date[32], system[512] = "";
    time_t         now = time(NULL);
    struct tm      parts;
    struct utsname names;
    processor_name(processor, sizeof(processor));
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &parts));
    if (uname(&names) == 0)
        snprintf(system, sizeof(system), "%s %s %s", names.sysname, names.release, names.machine);
    print_json(stream, "{\n    \"weft\": ", json_string(WEFT_VERSION), "");
    print_json(stream, ",\n    \"date\": ", json_string(date), "");
    print_json(stream, ",\n    \"processor\": ", json_string(processor), "");
    print_json(stream, ",\n    \"cores\": ", json_integer(weft_pool_core_count()), "");
    print_json(stream, ",\n    \"system\": ", json_string(system), "");
    print_json(stream, ",\n    \"compiler\": ", json_string(WEFT_COMPILER), "");
    print_json(stream, ",\n    \"fits\": ", fits_json(rows, row_count), ",\n    \"rows\": [");
    for (size_t k = 0; k < row_count; k++)
        print_json(stream, k > 0 ? ",\n        " : "\n        ", row_json(&rows[k]), "");
    fputs("\n    ]\n}\n", stream);
}

// A field of a table; quotes where there is a comma.
static void print_text(FILE *stream, const char *text)
{
    fprintf(stream, strchr(text, ',') != NULL ? "\"%s\"," : "%s,", text);
}

static void print_table(FILE *stream, const WeftStudyRow *rows, size_t row_count)
{
#undef TEXT_COLUMN
#undef WHOLE_COLUMN
#undef REAL_COLUMN
#define TEXT_COLUMN(name, value) fputs(name ",", stream);
#define WHOLE_COLUMN(name, value) fputs(name ",", stream);
#define REAL_COLUMN(name, value) fputs(name ",", stream);
#include "study_columns.def"
    for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
        fprintf(stream, "%sms_%s", stage > 0 ? "," : "", weft_stage_name((WeftStage)stage));
    fputc('\n', stream);
#undef TEXT_COLUMN
#undef WHOLE_COLUMN
#undef REAL_COLUMN
#define TEXT_COLUMN(name, value) print_text(stream, value);
#define WHOLE_COLUMN(name, value) fprintf(stream, "%u,", value);
#define REAL_COLUMN(name, value) fprintf(stream, "%.9g,", value);
    for (const WeftStudyRow *row = rows; row < rows + row_count; row++)
    {
#include "study_columns.def"
        for (int stage = 0; stage < WEFT_STAGE_COUNT; stage++)
            fprintf(stream, "%s%.9g", stage > 0 ? "," : "", row->stage_ms[stage]);
        fputc('\n', stream);
    }
}

// A file that appears whole or not at all.
static WeftStatus write_with(void (*print)(FILE *, const WeftStudyRow *, size_t), const char *path,
                             const WeftStudyRow *rows, size_t row_count)
{
    char    *text = NULL;
    size_t   size = 0;
    FILE    *stream = open_memstream(&text, &size);
    WeftFile file;
    if (stream != NULL)
        print(stream, rows, row_count);
    if (stream == NULL || fclose(stream) != 0)
    {
        free(text);
        return weft_fail(WEFT_ERROR_FAILED, "not enough memory for %s", path);
    }
    WeftStatus status = weft_file_begin(&file, path);
    if (status == WEFT_OK)
    {
        status = weft_file_put(&file, text, size);
        if (status == WEFT_OK)
            status = weft_file_commit(&file);
        else
            weft_file_abandon(&file);
    }
    free(text);
    return status;
}

WeftStatus weft_study_write_json(const char *path, const WeftStudyRow *rows, size_t row_count)
{
    return write_with(print_all, path, rows, row_count);
}

WeftStatus weft_study_write_csv(const char *path, const WeftStudyRow *rows, size_t row_count)
{
    return write_with(print_table, path, rows, row_count);
}
