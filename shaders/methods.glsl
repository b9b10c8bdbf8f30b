// methods.glsl: the integrators that ENGINE.method names, numbered as in host/scene/scene.h.

#define METHOD_EXPLICIT 0
#define METHOD_IMPLICIT 1
#define METHOD_IMEX 2
#define METHOD_ADAPTIVE 3
