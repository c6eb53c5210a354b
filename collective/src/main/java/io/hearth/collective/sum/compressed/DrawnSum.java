package io.hearth.collective.sum.compressed;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Seeds;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.memory.DrawnPending;
import io.hearth.compression.memory.RandomKMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of randomly drawn values, the same ones on all ranks: {@link RandomKMemory}. They travel uncompressed round the ring,
 * whatever the number of ranks. All other values of the result are 0.
 *
 * <p>A rank cannot take the result from another rank, because it would not learn its residuals. So no rank returns before all have
 * the sums. Each rank then writes the result from them to the application's buffer.
 */
public final class DrawnSum extends EncodedOperation {
    private final RandomKMemory memory;
    private final String key;
    private final boolean passesDense;
    private @Nullable DrawnPending drawn; // the values sent; null if the sum was plain

    /**
     * Creates the operation of one call.
     *
     * @param memory residuals of the values that were not drawn
     * @param key name of the tensor in {@code memory}
     * @param passesDense if a value is not finite, the sum is plain; otherwise such a value rejects the call
     */
    public DrawnSum(RandomKMemory memory, String key, boolean passesDense, Buffers buffers) {
        super(true, buffers);
        this.memory = memory;
        this.key = key;
        this.passesDense = passesDense;
    }

    @Override
    public void requireRoom() {
        memory.requireRoom(key);
    }

    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        release();
        drawn = null;
        if (context.world() == 1) {
            return alone(context, !passesDense, values -> takePlain(context.call(), values));
        }
        long bytes = memory.kept(context.call().signature().count()) * Float.BYTES;
        Buffers.Buffer sums = buffers().take(bytes);
        hold(sums);
        return attempt(context, sums.bytes().asSlice(0, bytes));
    }

    private Optional<CallRejection> attempt(OperationContext context, MemorySegment sums) throws IOException {
        Optional<NonFiniteException> notCarried = draw(context, sums);
        if (passesDense) {
            long[] carried = new long[context.world()];
            Optional<CallRejection> refusal = exchange(context, notCarried.isEmpty() ? 1 : 0, carried);
            if (refusal.isPresent()) {
                return refusal;
            }
            if (Arrays.stream(carried).anyMatch(each -> each != 1)) {
                drawn = null;
                giveUp();
                release();
                return sumPlain(context, values -> takePlain(context.call(), values));
            }
        } else if (notCarried.isPresent()) {
            context.exchange().refuse(context.exchange().notCarried(notCarried.get()));
        }
        MemorySegment values = notCarried.isPresent() ? MemorySegment.NULL : sums;
        Optional<CallRejection> refusal = sumAsIs(context, values, sums.byteSize() / Float.BYTES);
        return refusal.isPresent() ? refusal : context.held();
    }

    /** Writes the drawn values, or returns the first value that cannot be carried. */
    private Optional<NonFiniteException> draw(OperationContext context, MemorySegment sums) {
        Signature signature = context.call().signature();
        ExchangeWatch watch = context.exchange().watch();
        long since = watch.codecNow();
        try {
            long seed = Seeds.of(context.exchange().number(), key);
            DrawnPending made = memory.prepare(key, context.call().input(), signature.count(), seed, sums);
            pend(made);
            drawn = made;
            return Optional.empty();
        } catch (NonFiniteException notCarried) {
            return Optional.of(notCarried);
        } finally {
            watch.coded(Phase.ENCODE, signature.bytes(), since);
        }
    }

    /** Adds the residuals to the plain values. */
    private void takePlain(Call call, MemorySegment values) {
        pend(memory.prepareDense(key, call.input(), call.signature().count(), values));
    }

    @Override
    public Phase delivery() {
        return drawn == null ? Phase.COPY : super.delivery();
    }

    @Override
    void make(Signature signature, MemorySegment result) {
        if (drawn == null) {
            MemorySegment.copy(plainSum(), 0, result, 0, signature.bytes());
        } else {
            drawn.deliver(heldBytes().asSlice(0, memory.kept(signature.count()) * Float.BYTES), result);
        }
    }
}
