// material_presets.c: values of the named fabrics.
//
// Masses are those of common weights of cloth, and bending stiffness is what the KES-F test
// (Kawabata, The Standardization and Analysis of Hand Evaluation, 1980) gives for such fabrics:
// about 1e-6 N m for silk to 5e-5 N m for denim. Stretch and shear are softer than measured (10^3
// to 10^4 N/m and some 10 N/m) which hardly shows: hanging by its edge, a metre
// of any of these grows by about one percent or less, and the linear systems stay mild.
// Damping follows the stiffness: 0.25 ms of it for stretch, 0.2 ms for shear; for bending it follows
// the mass.
#include "material_presets.h"

#define STRETCH_TIME 2.5e-4   // s
#define SHEAR_TIME 2e-4       // s
#define BEND_RATE (1.0 / 300) // N s/m of each kg/m^2

#define FABRIC(density_, stretch, shear, bend, thickness_)                                         \
    {                                                                                              \
        .density = density_, .stretch_stiffness = stretch,                                         \
        .stretch_damping = STRETCH_TIME * stretch, .shear_stiffness = shear,                       \
        .shear_damping = SHEAR_TIME * shear, .bend_stiffness = bend,                               \
        .bend_damping = BEND_RATE * density_, .thickness = thickness_                              \
    }

static const WeftMaterial presets[WEFT_MATERIAL_COUNT] = {
    // kg/m^2, N/m, N/m, N m, m
    [WEFT_MATERIAL_COTTON] = FABRIC(0.15, 800, 4, 6e-6, 0.002),
    [WEFT_MATERIAL_SILK] = FABRIC(0.07, 500, 1.5, 1.5e-6, 0.0015),
    [WEFT_MATERIAL_DENIM] = FABRIC(0.40, 2000, 15, 4e-5, 0.003),
    [WEFT_MATERIAL_WOOL] = FABRIC(0.22, 600, 5, 1e-5, 0.002),
    [WEFT_MATERIAL_LINEN] = FABRIC(0.19, 1200, 6, 1.5e-5, 0.002),
    [WEFT_MATERIAL_JERSEY] = FABRIC(0.18, 150, 2, 4e-6, 0.002),
};

WeftMaterial weft_material_preset(WeftMaterialPreset preset)
{
    WeftMaterial material = presets[preset];
    material.preset = preset;
    return material;
}
