// panel.h: what the panel's painter and its shaders share. The font is looked up in a buffer, a byte of opacity a texel.
#ifndef WEFT_PANEL_H
#define WEFT_PANEL_H

#include "render/render.h"

#define PANEL_VERTEX_WORDS 5u

struct PanelPush
{
    ADDRESS(Words) vertices;
    ADDRESS(Words) font;
    float size[2]; // of the window, in the units of the vertices
    uint  font_width, font_height;
};

#ifndef GL_EXT_buffer_reference
typedef struct PanelPush PanelPush;
#endif

#endif
