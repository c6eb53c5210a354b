// Exact float32 arithmetic on bits for all kernels: IEEE 754, round to nearest even, subnormals kept, although the GPU takes float32
// subnormals for zero and flushes subnormal results.
//
// So floats are passed as integers. The GPU's float arithmetic is used only where operands and result are known to be normal (or where a
// flushed operand cannot change the result); all else uses integers or scaling by a power of two, which is exact.
//
// A product and a sum must not be fused to one rounding. It is not enough that no expression has the form a * b + c, because functions
// are inlined. The pragma below and safe mathematics, which the host sets when it compiles this text, prevent it. The comparison with the
// portable engine at each start finds a compiler that ignores both.

#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

// Our names hide those that a later standard library adds.
namespace hearth {

constant uint SIGN = 0x80000000u;
constant uint MAGNITUDE = 0x7fffffffu;
constant uint INFINITE = 0x7f800000u;
constant uint NOT_A_NUMBER = 0x7fc00000u;
constant uint MANTISSA = 0x007fffffu;
constant uint HIDDEN = 0x00800000u;
constant uint EXPONENT_MAX = 255;

// 2^-100: if one operand is at least that, the flushed subnormal bits of the other are less than a quarter of the last place.
constant uint SMALL = 0x0d800000u;
constant uint LIFT = 100;
constant uint TWO_TO_49 = 0x58000000u;
constant uint TWO_TO_MINUS_49 = 0x27000000u;
constant uint TWO_TO_MINUS_24 = 0x33800000u;

inline uint exponent_of(uint bits) {
    return (bits >> 23) & 0xffu;
}

inline bool is_nan(uint bits) {
    return (bits & MAGNITUDE) > INFINITE;
}

// The mantissa with its hidden bit; the value is mantissa * 2^(scale_of - 150).
inline uint mantissa_of(uint bits) {
    return exponent_of(bits) == 0 ? bits & MANTISSA : (bits & MANTISSA) | HIDDEN;
}

inline int scale_of(uint bits) {
    return int(max(exponent_of(bits), 1u));
}

inline int highest_bit(ulong value) {
    uint upper = uint(value >> 32);
    return upper != 0 ? 63 - int(clz(upper)) : 31 - int(clz(uint(value)));
}

// value * 2^scale as float32, rounded to nearest even; value is below 2^60 and the result below infinity.
inline uint round_to_float(uint sign, ulong value, int scale) {
    if (value == 0) {
        return sign;
    }
    int last_place = max(highest_bit(value) - 23 + scale, -149);
    int drop = last_place - scale;
    uint kept;
    if (drop <= 0) {
        kept = uint(value << uint(-drop));
    } else if (drop > 61) {
        kept = 0;
    } else {
        ulong below = value & ((ulong(1) << uint(drop)) - 1);
        ulong half_way = ulong(1) << uint(drop - 1);
        kept = uint(value >> uint(drop));
        kept += below > half_way || (below == half_way && (kept & 1u) != 0) ? 1u : 0u;
    }
    return sign | ((uint(last_place + 149) << 23) + kept);
}

// A number below 2^-100 times 2^100.
inline float lifted(uint bits) {
    if (exponent_of(bits) != 0) {
        return as_type<float>(bits + (LIFT << 23));
    }
    uint magnitude = as_type<uint>(float(bits & MANTISSA) * as_type<float>(TWO_TO_MINUS_49));
    return as_type<float>(magnitude | (bits & SIGN));
}

// A sum of lifted numbers times 2^-100; where that is subnormal, the sum is a whole number of 2^-49.
inline uint lowered(float sum) {
    uint bits = as_type<uint>(sum);
    if (exponent_of(bits) > LIFT) {
        return bits - (LIFT << 23);
    }
    return (bits & SIGN) | uint(as_type<float>(bits & MAGNITUDE) * as_type<float>(TWO_TO_49));
}

inline uint sum_of(uint a, uint b) {
    if ((a & MAGNITUDE) < SMALL && (b & MAGNITUDE) < SMALL) {
        return lowered(lifted(a) + lifted(b));
    }
    return as_type<uint>(as_type<float>(a) + as_type<float>(b));
}

inline uint product_of(uint a, uint b) {
    uint ea = exponent_of(a);
    uint eb = exponent_of(b);
    if (ea != 0 && eb != 0 && ea + eb >= 130) {
        return as_type<uint>(as_type<float>(a) * as_type<float>(b));
    }
    uint sign = (a ^ b) & SIGN;
    if (ea == EXPONENT_MAX || eb == EXPONENT_MAX) {
        bool none = is_nan(a) || is_nan(b) || (a & MAGNITUDE) == 0 || (b & MAGNITUDE) == 0;
        return none ? NOT_A_NUMBER : sign | INFINITE;
    }
    ulong product = ulong(mantissa_of(a)) * ulong(mantissa_of(b));
    return round_to_float(sign, product, scale_of(a) + scale_of(b) - 300);
}

} // namespace hearth
