package io.hearth.compression.memory;

import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.Source;
import java.lang.foreign.MemorySegment;

/**
 * The velocities of one step of {@link DgcMemory}, among which it chooses: computed from those of the step before, each time they are read.
 */
final class DgcStep implements Source {
    private final MemorySegment gradient;
    private final MemorySegment before;
    private final MemorySegment run;
    private final long count;
    private final float momentum;
    private final float clip;
    private final float[] g;
    private final float[] u;
    private final float[] v;

    /**
     * A step that follows the one of {@code before}, which is all zeros at first.
     *
     * @param before momentum, then velocity, {@code count} each
     * @param run scratch memory for the longest run; written
     * @param momentum factor of the former momentum
     * @param clip factor of the gradient
     */
    DgcStep(MemorySegment gradient, MemorySegment before, MemorySegment run, long count, float momentum, float clip) {
        this.gradient = gradient;
        this.before = before;
        this.run = run;
        this.count = count;
        this.momentum = momentum;
        this.clip = clip;
        g = new float[(int) Math.min(Float32.BLOCK, count)];
        u = new float[g.length];
        v = new float[g.length];
    }

    @Override
    public DgcStep over(MemorySegment other) {
        return new DgcStep(gradient, before, other, count, momentum, clip);
    }

    @Override
    public float value(long index) {
        long offset = index * Float.BYTES;
        float pushed = momentum * before.get(Float32.FLOAT, offset) + clip * gradient.get(Float32.FLOAT, offset);
        return before.get(Float32.FLOAT, (count + index) * Float.BYTES) + pushed;
    }

    @Override
    public long make(long first, int all) {
        for (int done = 0; done < all; done += Float32.BLOCK) {
            int n = Math.min(Float32.BLOCK, all - done);
            push(first + done, n);
            Float32.store(v, run, done, n);
        }
        return 0;
    }

    /** Computes momentum and velocity of {@code n} values into the arrays. */
    private void push(long first, int n) {
        Float32.load(gradient, first, g, n);
        Float32.load(before, first, u, n);
        Float32.load(before, count + first, v, n);
        for (int i = 0; i < n; i++) {
            u[i] = momentum * u[i] + clip * g[i];
            v[i] += u[i];
        }
    }

    @Override
    public MemorySegment run() {
        return run;
    }

    /** Computes momentum and velocity of {@code n} values, at most a block, and stores them in place of those of the step before. */
    void keep(long first, int n) {
        push(first, n);
        Float32.store(u, before, first, n);
        Float32.store(v, before, count + first, n);
    }

    /** After {@link #keep}: clears the momentum of a value that was sent, and subtracts its decoded value from its velocity. */
    void sent(long index, float decoded) {
        before.set(Float32.FLOAT, index * Float.BYTES, 0);
        long velocity = (count + index) * Float.BYTES;
        before.set(Float32.FLOAT, velocity, before.get(Float32.FLOAT, velocity) - decoded);
    }

    /** Computes the velocity of all values into {@code run}, which has room for all of them. */
    void makeAll() {
        for (long first = 0; first < count; first += Float32.BLOCK) {
            int n = Float32.blockAt(first, count);
            push(first, n);
            Float32.store(v, run, first, n);
        }
    }

    /** Stores the momentum and clears the velocity, all of which was sent. Momentum that is not finite becomes 0. */
    void keepMomentum() {
        for (long first = 0; first < count; first += Float32.BLOCK) {
            int n = Float32.blockAt(first, count);
            push(first, n);
            for (int i = 0; i < n; i++) {
                u[i] = Float.isFinite(u[i]) ? u[i] : 0;
            }
            Float32.store(u, before, first, n);
        }
        before.asSlice(count * Float.BYTES, count * Float.BYTES).fill((byte) 0);
    }
}
