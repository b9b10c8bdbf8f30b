// sky.glsl: how much of the sky a vertex sees: light on the side of its normal, on the other side, and from all around.
//
// Every part of the sky has a map of depth, so that folds, the inside of a sleeve and the floor below a table are dim.
// What is seen of each half of the sky is a part of the light that an open one gives; so the few parts that the sky is
// cut into do not show where nothing stands in the way.
vec3 sky_light(vec3 place, vec3 normal)
{
    float up = dot(normal, view.up.xyz);
    vec3  open = vec3(0.5 + 0.5 * up, 0.5 - 0.5 * up, 1);
    if (SKY_COUNT == 0)
        return open;
    vec3 seen = vec3(0), all = vec3(1e-6);
    for (uint k = 0; k < SKY_COUNT; k++)
    {
        // Off the surface on its lit side, so that it does not shade itself.
        vec4  part = view.sky[k];
        float cosine = dot(normal, part.xyz);
        vec4  p = vec4(place + normal * (cosine < 0 ? -view.picture.z : view.picture.z), 1);
        vec3  at = vec3(dot(view.sky_rows[3 * k], p), dot(view.sky_rows[3 * k + 1], p), dot(view.sky_rows[3 * k + 2], p));
        vec3  weight = vec3(max(cosine, 0), max(-cosine, 0), dot(part.xyz, view.up.xyz));
        all += weight;
        seen += part.w * texture(sky_maps, vec4(at.xy, float(k), min(at.z, 0.9999))) * weight;
    }
    return open * seen / all;
}
