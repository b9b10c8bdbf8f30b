// numbering.c: reverse Cuthill-McKee (Cuthill and McKee 1969; George 1971) on the graph of springs.
#include "sim/numbering.h"

#include <stdlib.h>

typedef struct Graph
{
    uint32_t *first; // (particle_count + 1)
    uint32_t *neighbours;
} Graph;

static bool build_graph(Graph *graph, const WeftSpringGraph *springs, uint32_t particle_count)
{
    graph->first = calloc((size_t)particle_count + 2, sizeof(uint32_t));
    graph->neighbours = malloc((2 * springs->structural_count + 1) * sizeof(uint32_t));
    if (graph->first == NULL || graph->neighbours == NULL)
        return false;
    // Count into the place two behind, sum, then fill: afterwards first[i] is where i's list
    // begins.
    for (size_t k = 0; k < springs->structural_count; k++)
    {
        graph->first[springs->structural[k].a + 2]++;
        graph->first[springs->structural[k].b + 2]++;
    }
    for (uint32_t i = 2; i < particle_count + 2; i++)
        graph->first[i] += graph->first[i - 1];
    for (size_t k = 0; k < springs->structural_count; k++)
    {
        uint32_t a = springs->structural[k].a, b = springs->structural[k].b;
        graph->neighbours[graph->first[a + 1]++] = b;
        graph->neighbours[graph->first[b + 1]++] = a;
    }
    return true;
}

static uint32_t degree(const Graph *graph, uint32_t i)
{
    return graph->first[i + 1] - graph->first[i];
}

// Breadth-first from `start` into queue[begin..]; neighbours of lower degree first. Returns the
// end.
static uint32_t sweep(const Graph *graph, uint32_t start, uint32_t *queue, uint32_t begin,
                      uint8_t *seen, uint8_t mark)
{
    uint32_t end = begin;
    queue[end++] = start;
    seen[start] = mark;
    for (uint32_t head = begin; head < end; head++)
    {
        uint32_t from = queue[head], level = end;
        for (uint32_t k = graph->first[from]; k < graph->first[from + 1]; k++)
        {
            uint32_t to = graph->neighbours[k];
            if (seen[to] == mark)
                continue;
            seen[to] = mark;
            // Insertion sort: a particle has few neighbours.
            uint32_t at = end++;
            for (; at > level && degree(graph, queue[at - 1]) > degree(graph, to); at--)
                queue[at] = queue[at - 1];
            queue[at] = to;
        }
    }
    return end;
}

static double mean_span(const WeftSpringGraph *springs, const uint32_t *particle_of)
{
    double sum = 0;
    for (size_t k = 0; k < springs->structural_count; k++)
    {
        uint32_t a = springs->structural[k].a, b = springs->structural[k].b;
        if (particle_of != NULL)
        {
            a = particle_of[a];
            b = particle_of[b];
        }
        sum += a < b ? b - a : a - b;
    }
    return sum;
}

bool weft_numbering_create(uint32_t *particle_of, const WeftSpringGraph *springs,
                           uint32_t particle_count)
{
    Graph     graph = {0};
    uint32_t *queue = malloc(((size_t)particle_count + 1) * sizeof(uint32_t));
    uint8_t  *seen = calloc((size_t)particle_count + 1, 1);
    bool      better = false;
    if (queue != NULL && seen != NULL && build_graph(&graph, springs, particle_count))
    {
        uint32_t end = 0;
        for (uint32_t i = 0; i < particle_count; i++)
        {
            if (seen[i] == 2)
                continue;
            // The last particle of a first sweep lies at the rim: start the numbering there.
            uint32_t far = queue[sweep(&graph, i, queue, end, seen, 1) - 1];
            end = sweep(&graph, far, queue, end, seen, 2);
        }
        for (uint32_t k = 0; k < particle_count; k++)
            particle_of[queue[k]] = particle_count - 1 - k;
        better = 2 * mean_span(springs, particle_of) <= mean_span(springs, NULL);
    }
    free(graph.first);
    free(graph.neighbours);
    free(queue);
    free(seen);
    return better;
}
