// overlay.c: legends, in letters of strokes.
#include "render/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/render.h"

// A letter as lines between points, each a column 0 to 4 and a height: c is the foot of a line, g the top of small
// letters, i that of large ones. A space lifts the pen.
static const struct
{
    char        letter;
    const char *lines;
} letters[] = {
    {'0', "1c3c4d4h3i1i0h0d1c"},
    {'1', "0h1i1c 0c2c"},
    {'2', "0h1i3i4h4g0c4c"},
    {'3', "0h1i3i4h4g3f2f 3f4e4d3c1c0d"},
    {'4', "3c3i0e4e"},
    {'5', "4i0i0f3f4e4d3c0c"},
    {'6', "3i1i0h0d1c3c4d4e3f0f"},
    {'7', "0i4i1c"},
    {'8', "1f0g0h1i3i4h4g3f1f0e0d1c3c4d4e3f"},
    {'9', "1c3c4d4h3i1i0h0g1f4f"},
    {'%', "0c4i 0h0i1i1h0h 3c3d4d4c3c"},
    {'.', "0c0c"},
    {'a', "0g3g4f4c1c0d1e4e"},
    {'c', "4g1g0f0d1c4c"},
    {'d', "4i4c1c0d0f1g4g"},
    {'e', "0e4e4f3g1g0f0d1c4c"},
    {'h', "0i0c 0g3g4f4c"},
    {'i', "0g0c 0i0i"},
    {'k', "0i0c 3g0e3c"},
    {'l', "0i0c"},
    {'m', "0c0g 0f1g2f2c 2f3g4f4c"},
    {'n', "0c0g 0f1g3g4f4c"},
    {'p', "0a0g3g4f4d3c0c"},
    {'r', "0c0g 0e1g3g"},
    {'s', "4g1g0f1e3e4d3c0c"},
    {'t', "1i1d2c3c 0g3g"},
    {'x', "0c4g 0g4c"},
};

static const float INK[3] = {0.035f, 0.04f, 0.05f};

static void add_stroke(WeftOverlay *overlay, float x1, float y1, float x2, float y2,
                       float half_width, const float color[3])
{
    if (overlay->count == WEFT_OVERLAY_MOST)
        return;
    WeftStroke *stroke = &overlay->strokes[overlay->count++];
    *stroke = (WeftStroke){{x1, y1}, {x2, y2}, half_width, {color[0], color[1], color[2]}};
}

// A line of writing whose ends reach half a width further, so that corners close and a point is seen.
static void add_line(WeftOverlay *overlay, float x1, float y1, float x2, float y2, float half_width)
{
    float dx = x2 - x1, dy = y2 - y1, size = sqrtf(dx * dx + dy * dy);
    dx = size > 0 ? dx / size * half_width : half_width;
    dy = size > 0 ? dy / size * half_width : 0;
    add_stroke(overlay, x1 - dx, y1 - dy, x2 + dx, y2 + dy, half_width, INK);
}

// Writes from x to the right on the line y; `unit` is a sixth of the height of large letters. Without `overlay` it only
// measures. Returns where the writing ends.
static float write_text(WeftOverlay *overlay, float x, float y, float unit, const char *text)
{
    for (; *text; text++)
    {
        const char *lines = "";
        for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
            if (letters[k].letter == *text)
                lines = letters[k].lines;
        float width = *lines ? 0 : 1;
        for (const char *point = lines; *point; point += point[0] == ' ' ? 1 : 2)
        {
            if (*point == ' ')
                continue;
            width = fmaxf(width, (float)(point[0] - '0'));
            if (overlay && point[2] && point[2] != ' ')
                add_line(overlay, x + unit * (float)(point[0] - '0'),
                         y - unit * (float)(point[1] - 'c'), x + unit * (float)(point[2] - '0'),
                         y - unit * (float)(point[3] - 'c'), 0.42f * unit);
        }
        x += unit * (width + 2);
    }
    return x - 2 * unit;
}

static float unit_for(uint32_t height)
{
    return fmaxf((float)height / 360, 0.8f);
}

void weft_overlay_stretch(WeftOverlay *overlay, float range, uint32_t width, uint32_t height)
{
    enum
    {
        SLICES = 64
    };
    char  text[32];
    float unit = unit_for(height), left = 12 * unit, y = (float)height - 22 * unit;
    float span = fminf(120 * unit, 0.5f * (float)width);
    for (int k = 0; k < SLICES; k++)
    {
        const float part = ((float)k + 0.5f) / SLICES;
        const float ink[3] = {INK_HEAT, part, 0};
        add_stroke(overlay, left + span * (float)k / SLICES, y,
                   left + span * (float)(k + 1) / SLICES, y, 3.5f * unit, ink);
    }
    write_text(overlay, left, y - 8 * unit, unit, "stretch");
    write_text(overlay, left, y + 13 * unit, unit, "0");
    snprintf(text, sizeof text, "%g %%", (double)(100 * range));
    write_text(overlay, left + span - write_text(NULL, 0, 0, unit, text), y + 13 * unit, unit,
               text);
}

void weft_overlay_springs(WeftOverlay *overlay, uint32_t width, uint32_t height)
{
    static const struct
    {
        unsigned    sign;
        const char *text;
    } lines[] = {{SIGN_PIN, "pinned"},
                 {SIGN_SLACK, "slack"},
                 {SIGN_EXPLICIT, "explicit"},
                 {SIGN_IMPLICIT, "implicit"}};
    (void)width;
    float unit = unit_for(height), left = 12 * unit, y = (float)height - 14 * unit;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++, y -= 14 * unit)
    {
        const float ink[3] = {INK_SIGN, (float)lines[k].sign, 0};
        float       half = lines[k].sign == SIGN_PIN ? 2.5f : 0.9f;
        float       reach = lines[k].sign == SIGN_PIN ? 2.5f : 8;
        add_stroke(overlay, left + (8 - reach) * unit, y, left + (8 + reach) * unit, y, half * unit,
                   ink);
        write_text(overlay, left + 22 * unit, y + 2 * unit, unit, lines[k].text);
    }
}
