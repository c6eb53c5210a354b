package io.hearth.collective.sum.compressed;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.RingAllGather;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.compression.MaxMagnitude;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Base of sums whose values travel encoded.
 *
 * <p>No rank keeps the result of a large tensor. All ranks hold the encodings first; then each decodes them to the application's
 * buffer. So a native buffer needs no second float32 buffer beside it, and the input is unchanged until all ranks have all
 * encodings.
 */
abstract class EncodedOperation implements CollectiveOperation {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final boolean inPlace;
    private final Buffers buffers;
    private Optional<Pending> pending = Optional.empty();
    private Buffers.@Nullable Buffer held;
    private Buffers.@Nullable Buffer own;
    private MemorySegment plain = MemorySegment.NULL;

    /** Creates the operation; {@code inPlace} as in the signature: no rank keeps the result. */
    EncodedOperation(boolean inPlace, Buffers buffers) {
        this.inPlace = inPlace;
        this.buffers = buffers;
    }

    boolean inPlace() {
        return inPlace;
    }

    Buffers buffers() {
        return buffers;
    }

    /** Sets the residuals to commit when this sum is done. */
    void pend(Pending made) {
        pending = Optional.of(made);
    }

    /** Drops the residuals of this sum. */
    void giveUp() {
        pending.ifPresent(Pending::rollback);
        pending = Optional.empty();
    }

    /** The residuals to commit when this sum is done, if any. */
    Optional<Pending> pending() {
        return pending;
    }

    /** Keeps the memory of this rank's encoding until the sum is committed or rolled back. */
    void holdOwn(Buffers.Buffer memory) {
        releaseOwn();
        own = memory;
    }

    /** Keeps memory until the result is made from it or the call ends without one. */
    void hold(Buffers.Buffer memory) {
        held = memory;
    }

    /** The memory that {@link #hold} keeps. */
    MemorySegment heldBytes() {
        return Objects.requireNonNull(held, "the result was made already, or nothing is held")
                .bytes();
    }

    /** Gives the memory of {@link #hold} back. */
    void release() {
        Buffers.Buffer over = held;
        held = null;
        if (over != null) {
            buffers.give(over);
        }
    }

    /** Writes this rank's contribution as plain values. */
    interface Plainly {
        /** Writes every value of {@code values}. */
        void write(MemorySegment values);
    }

    /**
     * The sum of a group of one rank. It sends nothing, so it leaves no residual.
     *
     * @param refusesNonFinite whether a value that is not finite rejects the call, as the codec would
     */
    Optional<CallRejection> alone(OperationContext context, boolean refusesNonFinite, Plainly own) throws IOException {
        try {
            if (refusesNonFinite) {
                MaxMagnitude.requireFinite(
                        context.call().input(), context.call().signature().count());
            }
            return sumPlain(context, own);
        } catch (NonFiniteException notCarried) {
            return Optional.of(context.exchange().notCarried(notCarried));
        }
    }

    /** Sums plain values where encoded ones cannot carry the tensor; in place, the result is {@link #plainSum}. */
    Optional<CallRejection> sumPlain(OperationContext context, Plainly own) throws IOException {
        Signature signature = context.call().signature();
        Buffers.Buffer sum =
                inPlace ? buffers.take(signature.bytes()) : context.call().work();
        if (inPlace) {
            hold(sum);
            plain = sum.bytes();
        }
        own.write(sum.bytes());
        Optional<CallRejection> refusal = sumAsIs(context, sum.bytes(), signature.count());
        return refusal.isPresent() || !inPlace ? refusal : context.held();
    }

    /** Sums {@code count} float32 values round the ring, uncompressed; without {@code values} it only reports a rejection. */
    static Optional<CallRejection> sumAsIs(OperationContext context, MemorySegment values, long count)
            throws IOException {
        var region = Region.of(values);
        var schedule = new RingAllReduce(context.hop(), context.world(), count, Float.BYTES, context.segmentBytes());
        return context.exchange().play(schedule, context.mesh().byHop(), region, region);
    }

    /** The result of {@link #sumPlain}, which is held. */
    MemorySegment plainSum() {
        return plain;
    }

    /** Sends a number to all ranks and writes the numbers of all ranks to {@code all}, in hop order. */
    Optional<CallRejection> exchange(OperationContext context, long own, long[] all) throws IOException {
        Buffers.Buffer memory = buffers.take((long) context.world() * Long.BYTES);
        try {
            MemorySegment row = memory.bytes();
            row.set(LONG, (long) context.hop() * Long.BYTES, own);
            var blocks = Blocks.strided(Collections.nCopies(context.world(), (long) Long.BYTES), Long.BYTES);
            var schedule = new RingAllGather(context.hop(), blocks, context.segmentBytes());
            var region = Region.of(row);
            Optional<CallRejection> refusal =
                    context.exchange().play(schedule, context.mesh().byHop(), region, region);
            for (int position = 0; position < all.length; position++) {
                all[position] = row.get(LONG, (long) position * Long.BYTES);
            }
            return refusal;
        } finally {
            buffers.give(memory);
        }
    }

    /**
     * Makes the result from the held memory. {@code result} is native memory and may be the input, so read the input before you
     * write.
     */
    abstract void make(Signature signature, MemorySegment result);

    @Override
    public long workBytes(Signature signature, MemorySegment target) {
        return inPlace && target.isNative() ? 0 : CollectiveOperation.super.workBytes(signature, target);
    }

    @Override
    public Phase delivery() {
        return inPlace ? Phase.DECODE : Phase.COPY;
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        MemorySegment target = call.memory().target();
        if (!inPlace) {
            pending.ifPresent(Pending::gradientEnds);
            CollectiveOperation.super.deliver(call, ran);
            release();
            return;
        }
        if (target.isNative()) {
            make(call.signature(), target);
        } else {
            make(call.signature(), call.work().bytes());
            CollectiveOperation.super.deliver(call, ran);
        }
        release();
    }

    @Override
    public void restore() {
        release();
    }

    @Override
    public void commit() {
        pending.ifPresent(Pending::commit);
        pending = Optional.empty();
        releaseOwn();
    }

    @Override
    public void rollBack() {
        giveUp();
        releaseOwn();
        release();
    }

    private void releaseOwn() {
        Buffers.Buffer over = own;
        own = null;
        if (over != null) {
            buffers.give(over);
        }
    }
}
