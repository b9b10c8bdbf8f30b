// sky.glsl: how much of the sky a vertex sees: light on the side of its normal, on the other side, and from all around.
//
// Every part of the sky has a map of depth, so that folds, the inside of a sleeve and the floor below a table are dim.
vec3 sky_light(vec3 place, vec3 normal)
{
    if (SKY_COUNT == 0)
    {
        float up = dot(normal, view.up.xyz);
        return vec3(0.5 + 0.5 * up, 0.5 - 0.5 * up, 1);
    }
    vec3  light = vec3(0);
    for (uint k = 0; k < SKY_COUNT; k++)
    {
        // Off the surface on its lit side, so that it does not shade itself.
        float cosine = dot(normal, view.sky[k].xyz);
        vec4  p = vec4(place + normal * (cosine < 0 ? -view.picture.z : view.picture.z), 1);
        vec3  at = vec3(dot(view.sky_rows[3 * k], p), dot(view.sky_rows[3 * k + 1], p), dot(view.sky_rows[3 * k + 2], p));
        float seen = texture(sky_maps, vec4(at.xy, float(k), min(at.z, 1)));
        light += seen * view.sky[k].w * vec3(max(cosine, 0), max(-cosine, 0), dot(view.sky[k].xyz, view.up.xyz));
    }
    return light;
}
