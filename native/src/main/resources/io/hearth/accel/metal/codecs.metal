// Kernels of the codecs, with the bits that io.hearth.accel.CodecKernels specifies. Follows floats.metal in one source text.
//
// A block of int8 levels is its scale (float32, little-endian) and a byte for each level; it begins at any byte.

namespace hearth {

// Threads of a group that share memory; the host starts groups of exactly this size.
constant uint LANES = 32;

// Values of one group for a histogram.
constant uint HISTOGRAM_RUN = 32 * LANES;

constant uint SCALE_BYTES = 4;
constant uint LEVEL_MAX = 127;
constant uint LEVEL_MAX_AS_FLOAT = 0x42fe0000u;

// 1.5 * 2^23: adding and then subtracting it rounds a small number to nearest even.
constant uint ROUNDER = 0x4b400000u;

struct LevelJob {
    uint count;
    uint block;
    uint scale_max; // bits
    uint stochastic;
    uint seed_low;
    uint seed_high;
    uint first_block_low;
    uint first_block_high;
};

struct AddJob {
    uint count;
    uint block;
    uint adds; // 0: only multiplies
};

struct SelectJob {
    uint count;
    uint least; // bits of the smallest magnitude that is found
};

struct HistogramJob {
    uint count;
    uint low; // bits of the smallest magnitude that is counted
    uint high; // larger magnitudes are counted in one bucket
    uint shift; // a bucket has 2^shift magnitudes
    uint buckets; // the next one is for magnitudes from high on
};

// A finite magnitude / 127, rounded to nearest even. A quotient that may be subnormal is a whole number of 2^-149 and found by integers;
// 127 is odd, so no tie occurs.
inline uint divided_by_level_max(uint magnitude) {
    if (exponent_of(magnitude) > 7) {
        return as_type<uint>(precise::divide(as_type<float>(magnitude), as_type<float>(LEVEL_MAX_AS_FLOAT)));
    }
    return ((mantissa_of(magnitude) << uint(scale_of(magnitude) - 1)) + LEVEL_MAX / 2) / LEVEL_MAX;
}

// The scale of a block with that largest magnitude, rounded up where the largest value would otherwise be more than 127 scales.
inline uint scale_of_block(uint largest, uint scale_max) {
    uint scale = divided_by_level_max(largest);
    uint back = product_of(scale, LEVEL_MAX_AS_FLOAT);
    return min(back < largest ? scale + 1 : scale, scale_max);
}

// value / scale, a quotient of little more than 127 at most. A small scale and its value are lifted, since the GPU would take them for
// zero; elsewhere the GPU flushes only quotients that are rounded to 0 anyway.
inline float quotient_by_scale(uint value, uint scale) {
    if (scale == 0) {
        return 0.0f;
    }
    if (scale < SMALL) {
        return precise::divide(lifted(value), lifted(scale));
    }
    return precise::divide(as_type<float>(value), as_type<float>(scale));
}

inline int nearest_level(float quotient) {
    float rounded = quotient + as_type<float>(ROUNDER);
    return int(rounded - as_type<float>(ROUNDER));
}

// As io.hearth.accel.Rounding.blockSeed.
inline uint seed_of_block(ulong seed, ulong block) {
    ulong z = seed + (block + 1) * 0x9e3779b97f4a7c15ul;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
    return uint(z >> 32);
}

// As io.hearth.accel.Rounding.draw: an odd multiple of 2^-16 between -1/2 and 1/2. The difference is exact.
inline float draw_of(uint seed, uint index) {
    uint h = seed + index * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return as_type<float>((h & 0x007fff00u) | 0x3f800080u) - 1.5f;
}

inline uint level_times_scale(int level, uint scale) {
    return product_of(as_type<uint>(float(level)), scale);
}

} // namespace hearth

// One group does one block. A block with a value that is not finite has only one valid result, its entry in bad.
kernel void quantise_int8(
        device uchar* body [[buffer(0)]],
        device uint* left [[buffer(1)]],
        device uint* bad [[buffer(2)]],
        device const uint* values [[buffer(3)]],
        constant hearth::LevelJob& job [[buffer(4)]],
        uint block [[threadgroup_position_in_grid]],
        uint lane [[thread_position_in_threadgroup]]) {
    threadgroup uint largest[32];
    uint start = block * job.block;
    uint n = min(job.block, job.count - start);
    uint most = 0;
    for (uint i = lane; i < n; i += hearth::LANES) {
        most = max(most, values[start + i] & hearth::MAGNITUDE);
    }
    largest[lane] = most;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < hearth::LANES; i++) {
        most = max(most, largest[i]);
    }
    if (lane == 0) {
        bad[block] = most >= hearth::INFINITE ? 1 : 0;
    }
    if (most >= hearth::INFINITE) {
        return;
    }
    uint scale = hearth::scale_of_block(most, job.scale_max);
    device uchar* place = body + block * (job.block + hearth::SCALE_BYTES);
    if (lane < hearth::SCALE_BYTES) {
        place[lane] = uchar((scale >> (8 * lane)) & 0xffu);
    }
    ulong number = ((ulong(job.first_block_high) << 32) | ulong(job.first_block_low)) + ulong(block);
    uint seed = hearth::seed_of_block((ulong(job.seed_high) << 32) | ulong(job.seed_low), number);
    for (uint i = lane; i < n; i += hearth::LANES) {
        uint value = values[start + i];
        float quotient = hearth::quotient_by_scale(value, scale);
        int level = hearth::nearest_level(job.stochastic != 0 ? quotient + hearth::draw_of(seed, i) : quotient);
        place[hearth::SCALE_BYTES + i] = uchar(uint(level) & 0xffu);
        left[start + i] = hearth::sum_of(value, hearth::level_times_scale(level, scale) ^ hearth::SIGN);
    }
}

kernel void add_int8(
        device uint* target [[buffer(0)]],
        device const uint* values [[buffer(1)]],
        device const uchar* body [[buffer(2)]],
        constant hearth::AddJob& job [[buffer(4)]],
        uint i [[thread_position_in_grid]]) {
    if (i >= job.count) {
        return;
    }
    uint block = i / job.block;
    device const uchar* place = body + block * (job.block + hearth::SCALE_BYTES);
    uint scale = uint(place[0]) | (uint(place[1]) << 8) | (uint(place[2]) << 16) | (uint(place[3]) << 24);
    int level = int(place[hearth::SCALE_BYTES + i - block * job.block]);
    level = level > 127 ? level - 256 : level;
    uint product = hearth::level_times_scale(level, scale);
    target[i] = job.adds != 0 ? hearth::sum_of(values[i], product) : product;
}

// One bit for each value, 32 to a word; one group does one word.
kernel void select_float32(
        device uint* masks [[buffer(0)]],
        device const uint* values [[buffer(1)]],
        constant hearth::SelectJob& job [[buffer(4)]],
        uint word [[threadgroup_position_in_grid]],
        uint lane [[thread_position_in_threadgroup]]) {
    threadgroup uint found[32];
    uint i = word * hearth::LANES + lane;
    found[lane] = i < job.count && (values[i] & hearth::MAGNITUDE) >= job.least ? 1u << lane : 0u;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) {
        uint mask = 0;
        for (uint k = 0; k < hearth::LANES; k++) {
            mask |= found[k];
        }
        masks[word] = mask;
    }
}

// Counts magnitudes by bucket and finds the largest of each group. Counts are sums of ones, so the order of the threads does not matter.
kernel void histogram_float32(
        device atomic_uint* counts [[buffer(0)]],
        device uint* largest [[buffer(1)]],
        device const uint* values [[buffer(2)]],
        constant hearth::HistogramJob& job [[buffer(4)]],
        uint run [[threadgroup_position_in_grid]],
        uint lane [[thread_position_in_threadgroup]]) {
    threadgroup uint found[32];
    uint start = run * hearth::HISTOGRAM_RUN;
    uint n = min(hearth::HISTOGRAM_RUN, job.count - start);
    uint most = 0;
    for (uint i = lane; i < n; i += hearth::LANES) {
        uint magnitude = values[start + i] & hearth::MAGNITUDE;
        if (magnitude >= job.low) {
            uint bucket = magnitude >= job.high ? job.buckets : (magnitude - job.low) >> job.shift;
            atomic_fetch_add_explicit(&counts[bucket], 1u, memory_order_relaxed);
            most = max(most, magnitude);
        }
    }
    found[lane] = most;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) {
        for (uint k = 0; k < hearth::LANES; k++) {
            most = max(most, found[k]);
        }
        largest[run] = most;
    }
}
