package io.hearth.accel.portable;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small pool of reusable scratch objects, so that calls allocate nothing: one object for each thread that works at the same time. Any
 * thread.
 */
public final class ScratchPool<T> {
    /** With more threads than that at the same time, some calls allocate. */
    static final int KEPT_MAX = 8;

    private final Supplier<T> maker;

    /** A thread that takes an object out of its place uses it alone. */
    private final AtomicReferenceArray<@Nullable T> kept = new AtomicReferenceArray<>(KEPT_MAX);

    public ScratchPool(Supplier<T> maker) {
        this.maker = maker;
    }

    /** Returns an object that the caller uses alone until {@link #giveBack}. */
    public T take() {
        for (int i = 0; i < KEPT_MAX; i++) {
            T spare = kept.getAndSet(i, null);
            if (spare != null) {
                return spare;
            }
        }
        return maker.get();
    }

    public void giveBack(T spare) {
        for (int i = 0; i < KEPT_MAX; i++) {
            if (kept.compareAndSet(i, null, spare)) {
                return;
            }
        }
    }
}
