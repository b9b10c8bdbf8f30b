// layout.h: constants and structs that every engine shares. Only float, int, uint and arrays of them.
#ifndef WEFT_LAYOUT_H
#define WEFT_LAYOUT_H

// What classify says of a spring. Present, shear and woven are set once, when the springs are laid out.
#define SPRING_PRESENT 1u // a real spring, not the filling of a regular row
#define SPRING_SHEAR 2u  // a shear spring; otherwise stretch (or bend, in the list of bend springs)
#define SPRING_ACTIVE 4u // acts in this step
#define SPRING_IMPLICIT 8u // has a block in the matrix
#define SPRING_WOVEN 16u   // an edge of triangles alone: only the threads in them pull

// Part of its rest length that an implicit spring may still be short of it and have its block in the matrix. A power of
// two, so that all precisions decide alike.
#define NEARLY_TAUT 0.0001220703125

// Reals that the threads of a triangle give to one of its edges: tension, push, and the entries of a block.
#define WEAVE_REALS 8u

// Whether and how a particle touches a solid.
#define CONTACT_NONE 0u
#define CONTACT_SLIDE 1u // held along the normal: 2 degrees of freedom
#define CONTACT_STICK 2u // held by static friction: 0 degrees of freedom
#define CONTACT_SLIP 3u  // was held, but friction could not bear it: slides in the next step

// A pair of cloth parts that are near each other.
#define PAIR_EDGES 1u    // two edges; otherwise a particle and a triangle
#define PAIR_ACTIVE 2u   // its contact spring acts in this step
#define PAIR_IMPLICIT 4u // and has a block in the matrix

// Edges and triangles, as they are sorted into cells, that have one ball around them all.
#define CLUMP 8u

// Where a mesh solid has its parts: a row of words for each solid. A shape is its points, their outward directions and those
// of the edges, three reals each.
#define MESH_TRIANGLE_COUNT 0u
#define MESH_LEAF_COUNT 1u
#define MESH_POINT_COUNT 2u
#define MESH_CORNERS 3u // among the words
#define MESH_EDGES 4u
#define MESH_BOXES 5u  // among the reals
#define MESH_BEFORE 6u // shape at the start of the step
#define MESH_AFTER 7u  // at its end; the same place unless it is animated
#define MESH_WORDS 8u

// Label of a particle that is held in all directions and so belongs to no component.
#define LABEL_NONE 0xFFFFFFFFu

// A component of at most this many particles is solved whole by one thread or workgroup; all of them work on a larger one.
#define SMALL_COMPONENT 256u

#endif
