// view_report.c: the fields are described in view_report.h.
#include "view_report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *point(Vec3 v)
{
    return json_pack("[f, f, f]", (double)v.x, (double)v.y, (double)v.z);
}

static json_t *describe_controls(const WeftPanelControls *controls)
{
    return json_pack("{s:f, s:f, s:f, s:[f, f, f], s:f}", "step", (double)controls->step,
                     "stiffness", (double)controls->stiffness, "damping", (double)controls->damping,
                     "wind", (double)controls->wind[0], (double)controls->wind[1],
                     (double)controls->wind[2], "threshold", (double)controls->threshold);
}

static json_t *describe(const WeftViewFacts *facts)
{
    double  frames = facts->frames_drawn > 0 ? (double)facts->frames_drawn : 1;
    json_t *root = json_object(), *pictures = json_array();
    json_object_set_new(root, "device", json_string(facts->device));
    json_object_set_new(root, "frames_drawn", json_integer((json_int_t)facts->frames_drawn));
    json_object_set_new(root, "steps", json_integer((json_int_t)facts->steps));
    json_object_set_new(root, "frames_per_second",
                        number((double)facts->frames_drawn / facts->open_seconds));
    json_object_set_new(root, "ms_a_frame", number(1e3 * facts->draw_seconds / frames));
    json_object_set_new(root, "simulated_seconds", number(facts->simulated_seconds));
    json_object_set_new(root, "real_time_factor", number(facts->real_time_factor));
    json_object_set_new(root, "restarts", json_integer(facts->restarts));
    json_object_set_new(root, "size", json_pack("[i, i]", (int)facts->width, (int)facts->height));
    json_object_set_new(root, "color", json_string(facts->color));
    json_object_set_new(root, "paused", json_boolean(facts->paused));
    json_object_set_new(root, "figures", json_boolean(facts->figures));
    json_object_set_new(root, "keys", json_boolean(facts->keys));
    json_object_set_new(root, "controls", describe_controls(&facts->controls));
    json_object_set_new(root, "eye", point(facts->eye));
    json_object_set_new(root, "target", point(facts->target));
    for (size_t k = 0; k < facts->picture_count; k++)
        json_array_append_new(pictures, json_string(facts->pictures[k]));
    json_object_set_new(root, "pictures", pictures);
    if (facts->has_held)
        json_object_set_new(root, "held",
                            json_pack("{s:i, s:i, s:o, s:o}", "cloth", (int)facts->held_cloth,
                                      "vertex", (int)facts->held_vertex, "from",
                                      point(facts->held_from), "place", point(facts->held_place)));
    if (*facts->trouble)
        json_object_set_new(root, "trouble", json_string(facts->trouble));
    return root;
}

WeftStatus weft_view_report_write(const WeftViewFacts *facts, WeftFile *file)
{
    json_t    *root = describe(facts);
    char      *text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(9));
    WeftStatus status = WEFT_OK;
    json_decref(root);
    if (!text)
        return weft_fail(WEFT_ERROR_FAILED, "out of memory for the report");
    status = weft_file_put(file, text, strlen(text));
    if (status == WEFT_OK)
        status = weft_file_put(file, "\n", 1);
    if (status == WEFT_OK)
        status = weft_file_commit(file);
    free(text);
    return status;
}
