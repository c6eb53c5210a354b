package io.hearth.accel.portable;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scratch memory that is lent and comes back, so that calls make no garbage: one for each thread that works at a time, of which
 * some are kept. Any thread.
 */
public final class ScratchPool<T> {
    /** More threads than that at the same time make some garbage. */
    static final int KEPT_MAX = 8;

    private final Supplier<T> maker;

    /** Whoever takes one out of its place has it alone. */
    private final AtomicReferenceArray<@Nullable T> kept = new AtomicReferenceArray<>(KEPT_MAX);

    public ScratchPool(Supplier<T> maker) {
        this.maker = maker;
    }

    /** For the caller alone, until it is given back. */
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
