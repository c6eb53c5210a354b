package io.hearth.collective.sum.compressed;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.group.CallRejection;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.memory.PowerRound;
import io.hearth.compression.memory.PowerSgdMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A sum of matrices, each approximated by the product of two thin factors: {@link PowerSgdMemory}. The factors are summed
 * uncompressed round the ring. For several tensors, all left factors travel together, then all right ones. Tensors that are not
 * matrices travel uncompressed with the left factors (as in Vogels et al., NeurIPS 2019, section 4.3).
 *
 * <p>All ranks compute the result from the same sums in the same order, and end with the same bits. A rank cannot take the result
 * from another rank, because it would lack the factors from which the next sum starts. So no rank returns before all have the sums.
 * Each rank then writes the result to the application's buffer.
 */
public final class LowRankSum extends EncodedOperation {
    private final PowerSgdMemory memory;
    private final List<Matrix> matrices;
    private final List<Plain> plain;
    private List<PowerRound> rounds = List.of(); // one per matrix, once all sums have arrived

    /**
     * A tensor that is compressed.
     *
     * @param key name of the tensor in the memory
     * @param first index of its first value
     * @param count number of its values
     * @param columns number of columns of the matrix
     */
    public record Matrix(String key, long first, long count, int columns) {
        MemorySegment in(MemorySegment values) {
            return slice(values, first, count);
        }
    }

    /** {@code count} values from {@code first} on that are not compressed. */
    public record Plain(long first, long count) {
        MemorySegment in(MemorySegment values) {
            return slice(values, first, count);
        }
    }

    private static MemorySegment slice(MemorySegment values, long first, long count) {
        return values.asSlice(first * Float.BYTES, count * Float.BYTES);
    }

    /**
     * Creates the operation of one call.
     *
     * @param memory residuals, and the factors from which the next sum starts
     * @param matrices one or more
     * @param plain all other values of the call
     */
    public LowRankSum(PowerSgdMemory memory, List<Matrix> matrices, List<Plain> plain, Buffers buffers) {
        super(true, buffers);
        this.memory = memory;
        this.matrices = matrices;
        this.plain = plain;
    }

    @Override
    public void requireRoom() {
        matrices.forEach(matrix -> memory.requireRoom(matrix.key()));
    }

    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        release();
        rounds = List.of();
        if (context.world() == 1) {
            return alone(context, true, values -> takePlain(context.call().input(), values));
        }
        long bytes = 0;
        for (Matrix matrix : matrices) {
            bytes += memory.leftBytes(matrix.count(), matrix.columns());
        }
        long factors = bytes;
        for (Plain values : plain) {
            bytes += values.count() * Float.BYTES;
        }
        Buffers.Buffer left = buffers().take(bytes);
        hold(left);
        return attempt(context, left.bytes().asSlice(0, bytes), factors);
    }

    /** Runs an attempt; {@code left} gets {@code factors} bytes of left factors, then all plain values. */
    private Optional<CallRejection> attempt(OperationContext context, MemorySegment left, long factors)
            throws IOException {
        ExchangeWatch watch = context.exchange().watch();
        long bytes = context.call().signature().bytes();
        long since = watch.codecNow();
        List<PowerRound> begun;
        try {
            begun = begin(context.call().input());
        } catch (NonFiniteException notCarried) {
            context.exchange().refuse(context.exchange().notCarried(notCarried));
            return sumAsIs(context, MemorySegment.NULL, 0);
        }
        pend(new All(begun));
        long at = 0;
        for (PowerRound round : begun) {
            MemorySegment.copy(round.left(), 0, left, at, round.left().byteSize());
            at += round.left().byteSize();
        }
        for (Plain values : plain) {
            MemorySegment.copy(values.in(context.call().input()), 0, left, at, values.count() * Float.BYTES);
            at += values.count() * Float.BYTES;
        }
        watch.coded(Phase.ENCODE, bytes, since);
        Optional<CallRejection> refusal = sumAsIs(context, left, left.byteSize() / Float.BYTES);
        return refusal.isPresent() ? refusal : right(context, begun, left.asSlice(0, factors));
    }

    /** Sums the right factors; {@code left} holds the sums of the left factors. */
    private Optional<CallRejection> right(OperationContext context, List<PowerRound> begun, MemorySegment left)
            throws IOException {
        ExchangeWatch watch = context.exchange().watch();
        long since = watch.codecNow();
        long bytes = 0;
        for (Matrix matrix : matrices) {
            bytes += memory.rightBytes(matrix.count(), matrix.columns());
        }
        Buffers.Buffer buffer = buffers().take(bytes);
        try {
            MemorySegment right = buffer.bytes().asSlice(0, bytes);
            long from = 0;
            long to = 0;
            for (PowerRound round : begun) {
                round.left().copyFrom(left.asSlice(from, round.left().byteSize()));
                from += round.left().byteSize();
                round.leftSummed(1); // the exchange has divided already, for AVG
                MemorySegment.copy(round.right(), 0, right, to, round.right().byteSize());
                to += round.right().byteSize();
            }
            watch.coded(Phase.ENCODE, context.call().signature().bytes(), since);
            Optional<CallRejection> refusal = sumAsIs(context, right, right.byteSize() / Float.BYTES);
            if (refusal.isPresent()) {
                return refusal;
            }
            from = 0;
            for (PowerRound round : begun) {
                long size = round.right().byteSize();
                round.right().copyFrom(right.asSlice(from, size));
                from += size;
                round.rightSummed(1);
            }
            rounds = begun;
            return context.held(); // no rank may return before all ranks can make the result
        } catch (NonFiniteException overflow) { // all ranks have the same sums, so all reject
            return Optional.of(
                    new CallRejection(CallRejection.Cause.NON_FINITE, String.valueOf(overflow.getMessage())));
        } finally {
            buffers().give(buffer);
        }
    }

    private List<PowerRound> begin(MemorySegment input) throws NonFiniteException {
        var begun = new ArrayList<PowerRound>();
        for (Matrix matrix : matrices) {
            try {
                begun.add(memory.begin(matrix.key(), matrix.in(input), matrix.count(), matrix.columns()));
            } catch (NonFiniteException notCarried) {
                begun.forEach(Pending::rollback);
                throw notCarried.from(matrix.first());
            }
        }
        return begun;
    }

    private void takePlain(MemorySegment input, MemorySegment values) {
        var taken = new ArrayList<Pending>();
        for (Matrix matrix : matrices) {
            taken.add(memory.prepareDense(
                    matrix.key(), matrix.in(input), matrix.count(), matrix.columns(), matrix.in(values)));
        }
        pend(new All(taken));
        plain.forEach(each -> each.in(values).copyFrom(each.in(input)));
    }

    @Override
    public Phase delivery() {
        return rounds.isEmpty() ? Phase.COPY : super.delivery();
    }

    @Override
    void make(Signature signature, MemorySegment result) {
        if (rounds.isEmpty()) {
            MemorySegment.copy(plainSum(), 0, result, 0, signature.bytes());
            return;
        }
        MemorySegment left = heldBytes();
        long at = 0;
        for (int i = 0; i < rounds.size(); i++) {
            at += memory.leftBytes(matrices.get(i).count(), matrices.get(i).columns());
            rounds.get(i).deliver(matrices.get(i).in(result));
        }
        for (Plain values : plain) {
            long size = values.count() * Float.BYTES;
            values.in(result).copyFrom(left.asSlice(at, size));
            at += size;
        }
    }

    /** Several updates that are committed or rolled back together. */
    private record All(List<? extends Pending> each) implements Pending {
        @Override
        public long encodedBytes() {
            return each.stream().mapToLong(Pending::encodedBytes).sum();
        }

        @Override
        public void gradientEnds() {
            each.forEach(Pending::gradientEnds);
        }

        @Override
        public void commit() {
            each.forEach(Pending::commit);
        }

        @Override
        public void rollback() {
            each.forEach(Pending::rollback);
        }
    }
}
