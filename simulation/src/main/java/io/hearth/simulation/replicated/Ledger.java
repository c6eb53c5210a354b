package io.hearth.simulation.replicated;

import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A state that shows each fault: how often each token was applied, and the order of all.
 *
 * @param counts by token
 * @param order a hash of the tokens in their order
 */
record Ledger(SortedMap<Long, Integer> counts, long order) {
    Ledger {
        counts = Collections.unmodifiableSortedMap(counts);
    }

    /** A command is a token; its answer is the hash after it. */
    static final Application<Ledger> APPLICATION = new Application<>() {
        @Override
        public Ledger empty() {
            return new Ledger(Collections.emptySortedMap(), 0);
        }

        @Override
        public Outcome<Ledger> apply(Ledger state, Bytes command) {
            long token = ByteBuffer.wrap(command.toArray()).getLong();
            var counts = new TreeMap<>(state.counts());
            counts.merge(token, 1, Integer::sum);
            long order = 31 * state.order() + token;
            return new Outcome<>(new Ledger(counts, order), bytes(order));
        }

        @Override
        public Ledger merge(Ledger better, Ledger worse) {
            var counts = new TreeMap<>(better.counts());
            worse.counts().forEach((token, count) -> counts.merge(token, count, Integer::sum));
            return new Ledger(counts, 31 * better.order() + worse.order());
        }

        @Override
        public Bytes encode(Ledger state) {
            var buffer = ByteBuffer.allocate(8 + 12 * state.counts().size()).putLong(state.order());
            state.counts().forEach((token, count) -> buffer.putLong(token).putInt(count));
            return Bytes.of(buffer.array());
        }

        @Override
        public Ledger decode(Bytes bytes) {
            var buffer = ByteBuffer.wrap(bytes.toArray());
            long order = buffer.getLong();
            var counts = new TreeMap<Long, Integer>();
            while (buffer.hasRemaining()) {
                counts.put(buffer.getLong(), buffer.getInt());
            }
            return new Ledger(counts, order);
        }
    };

    static Bytes bytes(long token) {
        return Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(token).array());
    }
}
