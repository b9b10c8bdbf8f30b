// gpu.glsl: what every compute shader starts with: buffers by address, and the number of a thread.
#extension GL_EXT_buffer_reference : require

layout(local_size_x_id = 0) in;

// Buffers of scalars. The first two are read only; SharedUints and SharedReals are for what threads read
// while others write it.
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer ConstUints { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer ConstFloats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Uints { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent volatile buffer SharedUints { uint at[]; };

// Dispatches are cut into rows where the device cannot count far enough along x, so that the last
// row may hold groups past the end.
uint group_index()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

uint thread_index()
{
    return group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}

// Of the whole dispatch. Shaders that go on from thread_index() in steps of this do all their work however few there are.
uint thread_count()
{
    return gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_WorkGroupSize.x;
}

#ifdef WEFT_DOUBLE
#define real double
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Reals { double at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) coherent volatile buffer SharedReals { double at[]; };
#else
#define real float
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Reals { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent volatile buffer SharedReals { float at[]; };
#endif
