package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/** One step of {@link DgcMemory}: makes momentum and velocity as they are looked at, and masks both where something was sent. */
final class DgcStep implements Source, LargestWriter.Sent {
    private final MemorySegment gradient;
    private final MemorySegment before;
    private final MemorySegment momentum;
    private final MemorySegment velocity;
    private final long count;
    private final float factor;
    private final float clip;
    private final float[] g;
    private final float[] u;
    private final float[] v;

    /**
     * From the step before, or zeros.
     *
     * @param before momentum, then velocity, {@code count} each
     * @param after as {@code before}; written
     * @param factor of the momentum
     * @param clip factor of the gradient
     */
    DgcStep(MemorySegment gradient, MemorySegment before, MemorySegment after, long count, float factor, float clip) {
        this.gradient = gradient;
        this.before = before;
        this.count = count;
        this.factor = factor;
        this.clip = clip;
        momentum = after.asSlice(0, count * Float.BYTES);
        velocity = after.asSlice(count * Float.BYTES);
        g = new float[(int) Math.min(Float32.BLOCK, count)];
        u = new float[g.length];
        v = new float[g.length];
    }

    /** The velocity: what is sent is chosen from it. */
    @Override
    public MemorySegment values() {
        return velocity;
    }

    @Override
    public float value(long index) {
        long offset = index * Float.BYTES;
        float pushed = factor * before.get(Float32.FLOAT, offset) + clip * gradient.get(Float32.FLOAT, offset);
        return before.get(Float32.FLOAT, (count + index) * Float.BYTES) + pushed;
    }

    @Override
    public void make(long first, int all) {
        for (int done = 0; done < all; done += Float32.BLOCK) {
            int n = Math.min(Float32.BLOCK, all - done);
            Float32.load(gradient, first + done, g, n);
            Float32.load(before, first + done, u, n);
            Float32.load(before, count + first + done, v, n);
            for (int i = 0; i < n; i++) {
                u[i] = factor * u[i] + clip * g[i];
                v[i] += u[i];
            }
            Float32.store(u, momentum, first + done, n);
            Float32.store(v, velocity, first + done, n);
        }
    }

    @Override
    public void at(long index, float value, float decoded) {
        momentum.set(Float32.FLOAT, index * Float.BYTES, 0);
        velocity.set(Float32.FLOAT, index * Float.BYTES, value - decoded);
    }
}
