// report_json.c: the figures of a run as JSON; the fields are described in report_json.h.
#include "report_json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *whole(uint64_t value)
{
    return json_integer((json_int_t)value);
}

// The text with a newline at its end.
static char *dump(const json_t *root)
{
    char  *text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(9));
    size_t length = text ? strlen(text) : 0;
    char  *closed = text ? realloc(text, length + 2) : NULL;
    if (!closed)
    {
        free(text);
        return NULL;
    }
    memcpy(closed + length, "\n", 2);
    return closed;
}

static json_t *sizes_json(const WeftSizesSum *sizes)
{
    double  frames = sizes->frame_count > 0 ? sizes->frame_count : 1;
    json_t *root = json_object(), *classes = json_array();
    json_object_set_new(root, "held_particles", number((double)sizes->held / frames));
    for (int k = 0; k < WEFT_SIZE_CLASSES; k++)
    {
        json_t *item = json_object();
        if (sizes->components[k] > 0)
        {
            json_object_set_new(item, "from", whole(1ull << k));
            json_object_set_new(item, "to", whole((1ull << (k + 1)) - 1));
            json_object_set_new(item, "components", number((double)sizes->components[k] / frames));
            json_object_set_new(item, "particles", number((double)sizes->particles[k] / frames));
            json_array_append(classes, item);
        }
        json_decref(item);
    }
    json_object_set_new(root, "classes", classes);
    return root;
}

char *weft_report_json(const WeftRunFacts *facts)
{
    const WeftRunReport *report = &facts->report;
    double               ms = report->step_count ? 1e3 / report->step_count : 0;
    json_t              *root = json_object();

    // What was run, and how it ended.
    json_object_set_new(root, "weft", json_string(WEFT_VERSION));
    json_object_set_new(root, "scene", json_string(facts->scene));
    json_object_set_new(root, "device", json_string(facts->device));
    json_object_set_new(root, "precision", json_string(facts->precision));
    json_object_set_new(root, "threads", json_integer(facts->threads));
    json_object_set_new(root, "interrupted", json_boolean(facts->interrupted));
    if (facts->failed)
        json_object_set_new(root, "failed", json_string(facts->failed));

    // How long it took.
    json_object_set_new(root, "particles", whole(facts->particle_count));
    json_object_set_new(root, "steps", whole(report->step_count));
    json_object_set_new(root, "frames", whole(report->frame_count));
    json_object_set_new(root, "simulated_seconds", number(report->simulated_seconds));
    json_object_set_new(root, "wall_seconds", number(report->wall_seconds));
    json_object_set_new(root, "ms_per_step", number(ms * report->wall_seconds));
    json_t *stages = json_object();
    for (int i = 0; i < WEFT_STAGE_COUNT; i++)
        json_object_set_new(stages, weft_stage_name(i), number(ms * report->stage_seconds[i]));
    json_object_set_new(root, "ms_per_step_by_stage", stages);

    // What was solved.
    json_t *iterations = json_object();
    json_object_set_new(iterations, "mean", number(report->iterations_mean));
    json_object_set_new(iterations, "max", whole(report->iterations_max));
    json_object_set_new(root, "cg_iterations", iterations);
    json_object_set_new(root, "row_vector_multiplies", whole(report->row_multiplies));
    json_t *components = json_object();
    json_object_set_new(components, "mean", number(report->components_mean));
    json_object_set_new(components, "max", whole(report->components_max));
    json_object_set_new(components, "largest", whole(report->largest_component));
    json_object_set_new(root, "components", components);
    json_object_set_new(root, "component_sizes", sizes_json(&facts->sizes));
    json_t *springs = json_object();
    json_object_set_new(springs, "total", whole(report->spring_count));
    json_object_set_new(springs, "active_mean", number(report->active_springs_mean));
    json_object_set_new(springs, "implicit_mean", number(report->implicit_springs_mean));
    json_object_set_new(springs, "bend", whole(report->bend_spring_count));
    json_object_set_new(springs, "bend_softened_max", whole(report->softened_bend_springs));
    json_object_set_new(root, "springs", springs);

    // How well it went.
    json_object_set_new(root, "unconverged_steps", whole(report->unconverged_steps));
    json_object_set_new(root, "worst_residual", number(report->worst_residual));
    json_object_set_new(root, "halved_steps", whole(report->halvings));
    json_object_set_new(root, "largest_stretch", number(report->largest_stretch));
    json_t *energy = json_object();
    json_object_set_new(energy, "kinetic", number(report->kinetic_energy));
    json_object_set_new(energy, "potential", number(report->potential_energy));
    json_object_set_new(root, "energy", energy);
    json_t *contacts = json_object();
    json_object_set_new(contacts, "mean", number(report->contacts_mean));
    json_object_set_new(contacts, "max", whole(report->contacts_max));
    json_object_set_new(root, "contacts", contacts);
    json_t *cloth = json_object();
    json_object_set_new(cloth, "mean", number(report->cloth_contacts_mean));
    json_object_set_new(cloth, "max", whole(report->cloth_contacts_max));
    json_object_set_new(cloth, "implicit_mean", number(report->cloth_contact_blocks_mean));
    json_object_set_new(cloth, "lost_pairs_max", whole(report->lost_pairs_max));
    json_object_set_new(cloth, "particles_cut", whole(report->cut_particles));
    json_object_set_new(root, "cloth_contacts", cloth);
    if (facts->has_cuts)
    {
        json_t *cuts = json_object();
        json_object_set_new(cuts, "start", whole(facts->cuts.start));
        json_object_set_new(cuts, "end", whole(facts->cuts.end));
        json_object_set_new(cuts, "most", whole(facts->cuts.most));
        json_object_set_new(cuts, "frames", whole(facts->cuts.frames_with));
        json_object_set_new(root, "intersections", cuts);
    }
    json_object_set_new(root, "peak_memory_bytes", whole(report->peak_memory_bytes));

    if (report->device_bytes > 0)
    {
        json_t *gpu = json_object();
        json_object_set_new(gpu, "dispatches_per_step", whole(report->dispatches));
        json_object_set_new(gpu, "barriers_per_step", whole(report->barriers));
        json_object_set_new(gpu, "bytes", whole(report->device_bytes));
        json_object_set_new(gpu, "bytes_per_particle",
                            number((double)report->device_bytes / facts->particle_count));
        json_object_set_new(root, "gpu", gpu);
    }

    char *text = dump(root);
    json_decref(root);
    return text;
}
