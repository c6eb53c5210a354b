package io.hearth.collective.sum;

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
 * A sum of what travels encoded.
 *
 * <p>Of a large tensor nobody keeps the result: all hold the encodings that it is made of before anybody makes it, which then comes into
 * being where the application wants it. So there is no second float32 buffer, and until all is well the input is as it was.
 */
abstract class EncodedOperation implements CollectiveOperation {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final boolean inPlace;
    private final Buffers buffers;
    private Optional<Pending> pending = Optional.empty();
    private Buffers.@Nullable Buffer held;
    private Buffers.@Nullable Buffer own;
    private MemorySegment plain = MemorySegment.NULL;

    /** {@code inPlace} as in the signature: nobody keeps the result. */
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

    /** Takes note of what is owed if this sum is done. */
    void pend(Pending made) {
        pending = Optional.of(made);
    }

    /** Nothing is owed by this sum after all. */
    void giveUp() {
        pending.ifPresent(Pending::rollback);
        pending = Optional.empty();
    }

    /** What is owed if this sum is done, if anything. */
    Optional<Pending> pending() {
        return pending;
    }

    /** Keeps memory of the own encoding until it is known whether the sum is done. */
    void holdOwn(Buffers.Buffer memory) {
        releaseOwn();
        own = memory;
    }

    /** Keeps memory until the result was made of it, or will not be. */
    void hold(Buffers.Buffer memory) {
        held = memory;
    }

    /** What {@link #hold} keeps. */
    MemorySegment heldBytes() {
        return Objects.requireNonNull(held, "a result is made once, of what is held")
                .bytes();
    }

    /** Gives back what {@link #hold} keeps. */
    void release() {
        Buffers.Buffer over = held;
        held = null;
        if (over != null) {
            buffers.give(over);
        }
    }

    /** Plain values of what this rank adds. */
    interface Plainly {
        /** Writes all of {@code values}. */
        void write(MemorySegment values);
    }

    /**
     * The sum of a group of one, which sends nothing, and so leaves nothing out.
     *
     * @param refusesNonFinite as the codec would
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

    /** The sum of plain values, where what travels encoded would not do; it is {@link #plainSum} then. */
    Optional<CallRejection> sumPlain(OperationContext context, Plainly own) throws IOException {
        Signature signature = context.call().signature();
        Buffers.Buffer sum =
                inPlace ? buffers.take(signature.bytes()) : context.call().work();
        if (inPlace) {
            hold(sum);
            plain = sum.bytes();
        }
        own.write(sum.bytes());
        var region = Region.of(sum.bytes());
        var schedule = new RingAllReduce(
                context.hop(),
                context.world(),
                signature.count(),
                signature.type().bytes(),
                context.segmentBytes());
        Optional<CallRejection> refusal =
                context.exchange().play(schedule, context.mesh().byHop(), region, region);
        return refusal.isPresent() || !inPlace ? refusal : context.held();
    }

    /** What {@link #sumPlain} made and holds. */
    MemorySegment plainSum() {
        return plain;
    }

    /** Tells all ranks a number and hears theirs, which {@code all} gets in hop order. */
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

    /** Makes the result of what is held; {@code result} is native memory and may be the input, so what depends on that is made before. */
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
