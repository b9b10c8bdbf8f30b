// light.glsl: the light on a point of a surface.

// Part of the light on one side of a cloth that shines through to the other.
const float CLOTH_THROUGH = 0.16;

// Where a point is in the map of the key light. What lies behind all that the map holds stays before its far end, so
// that rounding throws no shadow there.
vec3 key_place(vec3 place)
{
    vec4 p = vec4(place, 1);
    return vec3(dot(view.key_rows[0], p), dot(view.key_rows[1], p), min(dot(view.key_rows[2], p), 0.9999));
}

// Part of the key light that arrives there: the mean of looks into the map on a spiral; without looks, all of it.
float key_seen(vec3 at)
{
    if (TAPS == 0)
        return 1;
    // Beyond the map there are no shadows.
    vec2 off = abs(at.xy - 0.5);
    at.z = max(off.x, off.y) < 0.49 ? at.z : 0.0;
    if (TAPS == 1)
        return texture(key_map, at);
    float seen = 0;
    for (uint k = 0; k < TAPS; k++)
    {
        float turn = 2.3999632 * float(k), reach = view.picture.w * sqrt((float(k) + 0.5) / float(TAPS));
        seen += texture(key_map, at + vec3(reach * cos(turn), reach * sin(turn), 0));
    }
    return seen / float(TAPS);
}

// Light from the sky and the ground. `sky` is what sky_light() gave, with the seen side first. `through` is the part of
// the light from behind that shines through.
vec3 ambient_on(vec3 normal, vec3 sky, float through)
{
    float below = 0.5 - 0.5 * dot(normal, view.up.xyz);
    return view.sky_color.rgb * (sky.x + through * sky.y) + view.ground_color.rgb * (0.12 + sky.z * below);
}

// All light.
vec3 light_on(vec3 place, vec3 normal, vec3 sky, float through)
{
    float cosine = dot(normal, view.key.xyz);
    float key = max(cosine, -through * cosine);
    key *= key_seen(key_place(place + normal * (cosine > 0 ? 2 * view.key.w : -2 * view.key.w)));
    return view.key_color.rgb * key + ambient_on(normal, sky, through);
}
