// palette.glsl: colours that stand for something, in linear light.

// A component by its label. Neighbouring numbers get colours far apart.
vec3 component_color(uint label)
{
    if (label == LABEL_NONE)
        return vec3(0.92);
    if (label == LABEL_UNKNOWN)
        return vec3(0.45);
    uint  mixed = label ^ 0x736AE249u; // the first component, often the largest, is blue
    mixed = (mixed ^ (mixed >> 15)) * 0x2C1B3C6Du;
    mixed = (mixed ^ (mixed >> 12)) * 0x297A2D39u;
    mixed ^= mixed >> 15;
    float hue = float(mixed & 0xFFFFu) / 65536.0;
    float vivid = 0.50 + 0.32 * float((mixed >> 16) & 0xFFu) / 255.0;
    float value = 0.70 + 0.26 * float((mixed >> 24) & 0xFFu) / 255.0;
    vec3  wheel = clamp(abs(fract(hue + vec3(0, 2, 1) / 3.0) * 6 - 3) - 1, 0, 1);
    vec3  color = value * mix(vec3(1), wheel, vivid);
    return color * color;
}

// What a spring does, and a pin.
vec4 sign_color(uint sign)
{
    switch (sign)
    {
    case SIGN_IMPLICIT:
        return vec4(0.78, 0.16, 0.02, 1);
    case SIGN_EXPLICIT:
        return vec4(0.015, 0.13, 0.48, 1);
    case SIGN_SLACK:
        return vec4(0.22, 0.23, 0.25, 0.4);
    default:
        return vec4(0.55, 0.0, 0.12, 1);
    }
}

// Part of the range, 0 to 1: from deep blue over green and yellow to red.
vec3 heat_color(float part)
{
    const vec3 stops[6] = vec3[](vec3(0.030, 0.045, 0.240), vec3(0.020, 0.230, 0.480), vec3(0.060, 0.480, 0.400),
                                 vec3(0.520, 0.700, 0.130), vec3(0.980, 0.560, 0.060), vec3(0.700, 0.040, 0.020));
    float at = clamp(part, 0, 1) * 5;
    uint  low = min(uint(at), 4u);
    return mix(stops[low], stops[low + 1], at - float(low));
}
