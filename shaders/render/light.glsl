// light.glsl: the light on a point of a surface.

// Part of the key light that arrives: the mean of looks into its map on a spiral.
float key_seen(vec3 place)
{
    vec4  p = vec4(place, 1);
    vec3  at = vec3(dot(view.key_rows[0], p), dot(view.key_rows[1], p), min(dot(view.key_rows[2], p), 1));
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

// `sky` is what sky_light() gave, with the seen side first. `through` is the part of the light from behind that
// shines through.
vec3 light_on(vec3 place, vec3 normal, vec3 sky, float through)
{
    float cosine = dot(normal, view.key.xyz);
    float key = cosine > 0 ? cosine : -through * cosine;
    key *= key_seen(place + normal * (cosine > 0 ? 2 * view.key.w : -2 * view.key.w));
    float below = 0.5 - 0.5 * dot(normal, view.up.xyz);
    return view.key_color.rgb * key + view.sky_color.rgb * (sky.x + through * sky.y) +
           view.ground_color.rgb * (0.12 + sky.z * below);
}
