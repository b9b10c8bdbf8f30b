// panel.h: figures written over the picture. Dear ImGui lays them out, behind this interface for C; painter.h draws what it
// makes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct GLFWwindow GLFWwindow;

    enum
    {
        WEFT_PANEL_HISTORY = 240, // moments in the plots
        WEFT_PANEL_STAGES = 32
    };

    // Figures of a simulation and its pictures.
    typedef struct WeftPanelFigures
    {
        const char *device;
        double      frames_per_second, draw_ms, real_time_factor;
        double      time, step, step_ms; // s, s, and what a step takes
        uint32_t    particles, iterations, components, largest_component, contacts;
        double      largest_stretch;
        uint32_t    stage_count;
        const char *stage_names[WEFT_PANEL_STAGES];
        double      stage_ms[WEFT_PANEL_STAGES];
        uint32_t    history_count; // of the energies, J, oldest first
        float       kinetic[WEFT_PANEL_HISTORY], potential[WEFT_PANEL_HISTORY];
    } WeftPanelFigures;

    // What the panel shows.
    typedef struct WeftPanelFacts
    {
        bool                    has_figures, has_keys; // which parts are open
        const char             *keys;                  // the text on keys and mouse
        const char             *scene, *color;
        const char             *trouble; // why the simulation stopped; ""
        bool                    is_playing;
        const WeftPanelFigures *figures;
    } WeftPanelFacts;

    // What the user sets on the panel.
    typedef struct WeftPanelControls
    {
        float step;               // ms
        float stiffness, damping; // of all springs, as multiples of the scene's
        float wind[3];            // m/s
        float threshold;          // of the adaptive integrator
    } WeftPanelControls;

    // Triangles of a part of the panel, within a rectangle in pixels.
    typedef struct WeftPanelPart
    {
        int32_t  left, top, right, bottom;
        uint32_t first_index, index_count, first_vertex;
    } WeftPanelPart;

    // What to draw; valid until the panel is laid out again.
    typedef struct WeftPanelDrawing
    {
        float                size[2]; // of the window, in the units of the vertices
        const void          *vertices;
        size_t               vertex_bytes;
        const void          *indices; // of two bytes each
        size_t               index_bytes;
        const WeftPanelPart *parts;
        size_t               part_count;
        uint64_t number; // that of the drawing before as long as they are the same, and never 0
    } WeftPanelDrawing;

    /// Starts the panel on a window, whose events it hears from now on besides those who did before. False if it cannot.
    bool weft_panel_create(GLFWwindow *window);
    void weft_panel_destroy(void);

    /// The font: (height x width) bytes of opacity.
    const uint8_t *weft_panel_font(uint32_t *width, uint32_t *height);

    /// Lays the panel out for the next picture, and moves the controls as the user does; `start` is what a button takes them
    /// back to.
    void weft_panel_lay_out(const WeftPanelFacts *facts, WeftPanelControls *controls,
                            const WeftPanelControls *start, WeftPanelDrawing *drawing);

    /// Whether mouse and keys are the panel's at the moment.
    bool weft_panel_has_mouse(void);
    bool weft_panel_has_keys(void);

#ifdef __cplusplus
}
#endif
