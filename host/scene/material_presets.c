// material_presets.c: values of the named fabrics.
//
// Masses are those of common weights of cloth. Bending stiffness is such that discs of 30 cm on one of 18 cm keep the part of their
// overhang in the projection that Cusick's drape test finds for such fabrics: cotton 60 to 76 %, silk 20 to 40 %, denim 70 to 90 %;
// wool, linen and jersey lie about 50, 75 and 30 %. That is rho g c^3 with bending lengths c of 1.5 cm (jersey) to 3.2 cm (denim),
// above what the KES-F test (Kawabata, The Standardization and Analysis of Hand Evaluation, 1980) gives for small curvatures.
// Stretch and shear are softer than measured (10^3 to 10^4 N/m and some 10 N/m) which hardly shows: hanging by its edge, a metre
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
    [WEFT_MATERIAL_COTTON] = FABRIC(0.15, 800, 4, 2.8e-5, 0.002),
    [WEFT_MATERIAL_SILK] = FABRIC(0.07, 500, 1.5, 3e-6, 0.0015),
    [WEFT_MATERIAL_DENIM] = FABRIC(0.40, 2000, 15, 1.3e-4, 0.003),
    [WEFT_MATERIAL_WOOL] = FABRIC(0.22, 600, 5, 2.6e-5, 0.002),
    [WEFT_MATERIAL_LINEN] = FABRIC(0.19, 1200, 6, 5e-5, 0.002),
    [WEFT_MATERIAL_JERSEY] = FABRIC(0.18, 150, 2, 6e-6, 0.002),
};

WeftMaterial weft_material_preset(WeftMaterialPreset preset)
{
    WeftMaterial material = presets[preset];
    material.preset = preset;
    return material;
}
