// Reductions element by element, with the bits that io.hearth.accel.Reducer specifies. Follows floats.metal in one source text.

namespace hearth {

constant uint SUM = 0;
constant uint MIN = 1;
constant uint MAX = 2; // any value that is none of the other three
constant uint PROD = 3;

struct Job {
    uint count;
    uint op;
};

// An integer that orders all floats but NaN as the numbers are ordered, -0 below +0.
inline int rank_of(uint bits) {
    int word = int(bits);
    return word ^ ((word >> 31) & int(MAGNITUDE));
}

inline uint combine_floats(uint op, uint a, uint b) {
    if (op == SUM) {
        return sum_of(a, b);
    }
    if (op == PROD) {
        return product_of(a, b);
    }
    if (is_nan(a) || is_nan(b)) {
        return NOT_A_NUMBER;
    }
    bool less = rank_of(a) < rank_of(b);
    return less == (op == MIN) ? a : b;
}

struct Float32 {
    typedef uint Bits;

    static Bits combine(uint op, Bits a, Bits b) {
        return combine_floats(op, a, b);
    }
};

struct Float16 {
    typedef ushort Bits;

    static uint widen(Bits half_bits) {
        uint bits = uint(half_bits);
        uint sign = (bits & 0x8000u) << 16;
        uint exponent = (bits >> 10) & 31u;
        uint mantissa = bits & 0x3ffu;
        if (exponent == 31) {
            return sign | INFINITE | (mantissa << 13);
        }
        if (exponent == 0) {
            return sign | as_type<uint>(float(mantissa) * as_type<float>(TWO_TO_MINUS_24));
        }
        return sign | ((exponent + 112) << 23) | (mantissa << 13);
    }

    static Bits narrow(uint bits) {
        uint sign = (bits & SIGN) >> 16;
        uint magnitude = bits & MAGNITUDE;
        if (magnitude > INFINITE) {
            return Bits(0x7e00u);
        }
        if (magnitude >= 0x47800000u) {
            return Bits(sign | 0x7c00u);
        }
        if (magnitude >= 0x38800000u) {
            uint rounded = magnitude + 0x0fffu + ((magnitude >> 13) & 1u);
            return Bits(sign | ((rounded - 0x38000000u) >> 13));
        }
        uint drop = 126 - (magnitude >> 23);
        if (drop > 24) {
            return Bits(sign);
        }
        uint whole = (magnitude & MANTISSA) | HIDDEN;
        uint kept = whole >> drop;
        uint below = whole & ((1u << drop) - 1);
        uint half_way = 1u << (drop - 1);
        kept += below > half_way || (below == half_way && (kept & 1u) != 0) ? 1u : 0u;
        return Bits(sign | kept);
    }

    static Bits combine(uint op, Bits a, Bits b) {
        return narrow(combine_floats(op, widen(a), widen(b)));
    }
};

struct Bfloat16 {
    typedef ushort Bits;

    static uint widen(Bits upper) {
        return uint(upper) << 16;
    }

    static Bits narrow(uint bits) {
        if (is_nan(bits)) {
            return Bits(NOT_A_NUMBER >> 16);
        }
        return Bits((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    }

    static Bits combine(uint op, Bits a, Bits b) {
        return narrow(combine_floats(op, widen(a), widen(b)));
    }
};

struct Int32 {
    typedef uint Bits;

    static Bits combine(uint op, Bits a, Bits b) {
        if (op == SUM) {
            return a + b;
        }
        if (op == PROD) {
            return a * b;
        }
        bool less = int(a) < int(b);
        return less == (op == MIN) ? a : b;
    }
};

// Threads beyond the last element fill the last threadgroup and do nothing.
template <typename Type, typename Bits>
inline void combine_element(
        device Bits* target,
        device const Bits* a,
        device const Bits* b,
        constant Job& job,
        uint i) {
    if (i >= job.count) {
        return;
    }
    target[i] = Type::combine(job.op, a[i], b[i]);
}

} // namespace hearth

kernel void combine_float32(
        device uint* target [[buffer(0)]],
        device const uint* a [[buffer(1)]],
        device const uint* b [[buffer(2)]],
        constant hearth::Job& job [[buffer(4)]],
        uint i [[thread_position_in_grid]]) {
    hearth::combine_element<hearth::Float32, uint>(target, a, b, job, i);
}

kernel void combine_float16(
        device ushort* target [[buffer(0)]],
        device const ushort* a [[buffer(1)]],
        device const ushort* b [[buffer(2)]],
        constant hearth::Job& job [[buffer(4)]],
        uint i [[thread_position_in_grid]]) {
    hearth::combine_element<hearth::Float16, ushort>(target, a, b, job, i);
}

kernel void combine_bfloat16(
        device ushort* target [[buffer(0)]],
        device const ushort* a [[buffer(1)]],
        device const ushort* b [[buffer(2)]],
        constant hearth::Job& job [[buffer(4)]],
        uint i [[thread_position_in_grid]]) {
    hearth::combine_element<hearth::Bfloat16, ushort>(target, a, b, job, i);
}

kernel void combine_int32(
        device uint* target [[buffer(0)]],
        device const uint* a [[buffer(1)]],
        device const uint* b [[buffer(2)]],
        constant hearth::Job& job [[buffer(4)]],
        uint i [[thread_position_in_grid]]) {
    hearth::combine_element<hearth::Int32, uint>(target, a, b, job, i);
}
