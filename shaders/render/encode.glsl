// encode.glsl: from light to what a pixel stores. The device does that where the picture's format says so (sRGB); a software
// driver spends a sixth of its time on it, so it is given a format of plain numbers, and the shader encodes.
layout(constant_id = CONSTANT_ENCODES) const uint ENCODES = 0;

// A fit to sRGB's curve, within two of 255 steps, or six next to black.
vec3 to_pixel(vec3 color)
{
    return ENCODES != 0 ? max(1.23464 * sqrt(color) - 0.21737 * color - 0.02317, 0) : color;
}
