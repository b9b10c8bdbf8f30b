// backend_cpu.c: chooses among the builds of the CPU engine. All of them give the same bits in the
// same precision.
#include "sim/backend.h"

extern const WeftBackend weft_backend_f32_base, weft_backend_f64_base;
#ifdef WEFT_HAS_V3
extern const WeftBackend weft_backend_f32_v3, weft_backend_f64_v3;
#endif

const WeftBackend *weft_backend_cpu(WeftPrecision precision)
{
    bool is_double = precision == WEFT_PRECISION_DOUBLE;
#ifdef WEFT_HAS_V3
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return is_double ? &weft_backend_f64_v3 : &weft_backend_f32_v3;
#endif
    return is_double ? &weft_backend_f64_base : &weft_backend_f32_base;
}
