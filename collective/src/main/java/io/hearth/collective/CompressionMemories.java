package io.hearth.collective;

import io.hearth.compression.CompressionMemory;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.DgcMemory;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.PowerSgd;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * What a member remembers of its tensors from one sum to the next, for each compression that it uses. Made when first asked for; only
 * the thread that calls uses what is in them.
 */
final class CompressionMemories implements AutoCloseable {
    private static final int STRATEGIES_MAX = 8;
    private static final int TENSORS_MAX = 4096;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<CompressionStrategy, CompressionMemory> all = new HashMap<>();

    /** For a lossy codec. */
    ErrorFeedback of(CompressionStrategy.Coded compression) {
        return get(compression, ErrorFeedback.class, asked -> new ErrorFeedback(asked.codec(), TENSORS_MAX));
    }

    /** For sums that gather momentum. */
    DgcMemory of(CompressionStrategy.Dgc compression) {
        return get(compression, DgcMemory.class, asked -> new DgcMemory(asked.options(), TENSORS_MAX));
    }

    /** For matrices. */
    PowerSgd of(CompressionStrategy.LowRank compression) {
        return get(compression, PowerSgd.class, asked -> new PowerSgd(asked.rank(), 0, TENSORS_MAX));
    }

    private <S extends CompressionStrategy, M extends CompressionMemory> M get(
            S compression, Class<M> kind, Function<S, M> fresh) {
        lock.lock();
        try {
            CompressionMemory known = all.get(compression);
            if (known == null) {
                if (all.size() == STRATEGIES_MAX) {
                    throw new IllegalStateException("more than " + STRATEGIES_MAX
                            + " lossy compressions in one engine: take a few and use them for all calls");
                }
                known = fresh.apply(compression);
                all.put(compression, known);
            }
            return kind.cast(known);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what is owed to all tensors: the state that it belonged to is gone. */
    void forgetAll() {
        close();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            all.values().forEach(CompressionMemory::close);
            all.clear();
        } finally {
            lock.unlock();
        }
    }
}
