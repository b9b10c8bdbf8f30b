// engine.glsl: what the shader of a stage starts with: the engine's block, vectors, findings.
#include "gpu.glsl"

#include "engine.h"

#ifndef ENGINE_PUSH
#define ENGINE_PUSH StagePush
#endif
PUSH(ENGINE_PUSH);

#ifdef WEFT_DOUBLE
#define real3 dvec3
#define real4 dvec4
#define real3x3 dmat3
#else
#define real3 vec3
#define real4 vec4
#define real3x3 mat3
#endif

// A number that has no end in binary, with all digits of a real.
#define PER_CENT(number) (real(number) / 100)

// No copy of the block: SwiftShader cannot keep structs of addresses in variables.
#define ENGINE push.block.engine

// Whether this step, or one before it in the queue, has failed: then nothing more is to be done.
bool has_failed()
{
    return ENGINE.clock.at[1] != 0;
}

real value(uint place)
{
    return ENGINE.values.at[place];
}

real3 value3(uint place)
{
    Reals values = ENGINE.values;
    return real3(values.at[place], values.at[place + 1], values.at[place + 2]);
}

// Vectors of the particles, or of whatever lies `stride` apart.
real3 load3(Reals array, uint stride, uint i)
{
    return real3(array.at[i], array.at[stride + i], array.at[2 * stride + i]);
}

real3 load3(Reals array, uint i)
{
    return load3(array, ENGINE.padded_count, i);
}

void store3(Reals array, uint stride, uint i, real3 vector)
{
    array.at[i] = vector.x;
    array.at[stride + i] = vector.y;
    array.at[2 * stride + i] = vector.z;
}

void store3(Reals array, uint i, real3 vector)
{
    store3(array, ENGINE.padded_count, i, vector);
}

// Counts that do not depend on the order of adding.
void found_add(uint place, uint count)
{
    if (count > 0)
        atomicAdd(ENGINE.findings.at[place], count);
}

void found_max(uint place, uint word)
{
    if (word > ENGINE.findings.at[place])
        atomicMax(ENGINE.findings.at[place], word);
}
