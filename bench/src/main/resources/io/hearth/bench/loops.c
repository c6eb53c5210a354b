// The kernels in plain C, compiled on the machine where the engines are measured against them. Each takes the operands of
// io.hearth.accel.select.KernelRun: the target, the right operand of a sum, the body of a codec or the indices, the number of elements.
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LOOP(NAME, TYPE, EXPRESSION)                                        \
    long NAME(TYPE *restrict a, const TYPE *restrict b, void *body, long n) \
    {                                                                       \
        for (long i = 0; i < n; i++) {                                      \
            a[i] = EXPRESSION;                                              \
        }                                                                   \
        return 0;                                                           \
    }

LOOP(sum_float32, float, a[i] + b[i])
LOOP(sum_int32, uint32_t, a[i] + b[i])

#ifdef __FLT16_MAX__
#define HALF(value) ((float)(value))
LOOP(sum_float16, _Float16, (_Float16)(HALF(a[i]) + HALF(b[i])))
#endif

static inline float widened(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint16_t narrowed(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

LOOP(sum_bfloat16, uint16_t, narrowed(widened(a[i]) + widened(b[i])))

enum { BLOCK = 64 };

long quantise_int8(float *restrict values, void *b, int8_t *restrict body, long n)
{
    for (long start = 0; start < n; start += BLOCK) {
        long count = n - start < BLOCK ? n - start : BLOCK;
        uint32_t largest = 0;
        for (long i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, values + start + i, sizeof bits);
            bits &= 0x7fffffffu;
            largest = bits > largest ? bits : largest;
        }
        if (largest >= 0x7f800000u) {
            return start;
        }
        float scale;
        memcpy(&scale, &largest, sizeof scale);
        float most = scale;
        scale /= 127;
        if (scale * 127 < most) {
            scale = nextafterf(scale, INFINITY);
        }
        memcpy(body, &scale, sizeof scale);
        body += sizeof scale;
        float by = scale == 0 ? 1 : scale;
        for (long i = 0; i < count; i++) {
            body[i] = (int8_t)(int32_t)((values[start + i] / by + 0x1.8p23f) - 0x1.8p23f);
        }
        body += count;
    }
    return -1;
}

long add_int8(float *restrict values, void *b, const int8_t *restrict body, long n)
{
    for (long start = 0; start < n; start += BLOCK) {
        long count = n - start < BLOCK ? n - start : BLOCK;
        float scale;
        memcpy(&scale, body, sizeof scale);
        body += sizeof scale;
        for (long i = 0; i < count; i++) {
            values[start + i] += (float)body[i] * scale;
        }
        body += count;
    }
    return 0;
}

enum { BUCKETS = 1 << 13, BUCKET_SHIFT = 12 };

long histogram_float32(const float *restrict values, void *b, uint32_t *restrict counts, long n)
{
    const float least = 1.99f;
    uint32_t low;
    memcpy(&low, &least, sizeof low);
    memset(counts, 0, (BUCKETS + 1) * sizeof *counts);
    long counted = 0;
    for (long i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits &= 0x7fffffffu;
        if (bits >= low) {
            uint32_t bucket = (bits - low) >> BUCKET_SHIFT;
            counts[bucket < BUCKETS ? bucket : BUCKETS]++;
            counted++;
        }
    }
    return counted;
}

long select_float32(const float *restrict values, void *b, int32_t *restrict indices, long n)
{
    long found = 0;
    for (long i = 0; i < n; i++) {
        indices[found] = (int32_t)i;
        found += fabsf(values[i]) >= 1.99f;
    }
    return found;
}
