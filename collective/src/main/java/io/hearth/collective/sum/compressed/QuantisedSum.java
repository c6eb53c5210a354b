package io.hearth.collective.sum.compressed;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Ownership;
import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Seeds;
import io.hearth.collective.schedule.DirectAllReduce;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.sum.compressed.QuantisedSegments.PartEncoder;
import io.hearth.collective.sum.compressed.QuantisedSegments.Tools;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.MaxMagnitude;
import io.hearth.compression.Workers;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.compression.memory.PendingParts;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of float32 values that are encoded block by block, as a reduce-scatter and an all-gather of encodings. So each rank sends
 * the bytes of a plain sum, divided by the codec's compression ratio.
 *
 * <p>With {@code passesDense}, all ranks first exchange the largest magnitude of their values. If the sum might exceed the codec's
 * range, or a value is not finite, this sum is plain.
 *
 * <p>The parts travel among all pairs ({@link DirectSegments}) or round the ring ({@link RingSegments}). Either way all ranks
 * decode the same bytes and end with the same bits.
 */
public final class QuantisedSum extends EncodedOperation {
    /** Rounded sums can be a little larger than exact ones. */
    private static final float MARGIN = 2;

    private final BlockCodec codec;
    private final Optional<ErrorFeedback> memory;
    private final String key;
    private final boolean isRing;
    private final Ownership ownership;
    private final boolean passesDense;
    private final Reducer reducer;
    private final CodecThreads threads;
    private @Nullable Result result;

    /**
     * Creates the operation of one call.
     *
     * @param memory the codec's residuals; empty for none
     * @param key name of the tensor in {@code memory}
     * @param isRing whether parts travel round the ring; otherwise among all pairs
     * @param ownership shares of the ranks, among all pairs
     * @param passesDense if the codec cannot carry a value, the sum is plain; otherwise such a value rejects the call
     */
    public QuantisedSum(
            BlockCodec codec,
            Optional<ErrorFeedback> memory,
            String key,
            boolean isRing,
            Ownership ownership,
            boolean passesDense,
            boolean inPlace,
            Buffers buffers,
            Reducer reducer,
            CodecThreads threads) {
        super(inPlace, buffers);
        this.codec = codec;
        this.memory = memory;
        this.key = key;
        this.isRing = isRing;
        this.ownership = ownership;
        this.passesDense = passesDense;
        this.reducer = reducer;
        this.threads = threads;
    }

    /**
     * The encoded result, the same on all ranks.
     *
     * @param divisor by which decoded values are divided; 1 for none
     */
    private record Result(Tools tools, int divisor) {}

    @Override
    public void requireRoom() {
        memory.ifPresent(known -> known.requireRoom(key));
    }

    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        release();
        result = null;
        threads.share(context.mesh().ranksHere());
        if (context.world() == 1) {
            boolean refusesNonFinite = !passesDense && !codec.carriesNonFinite();
            return alone(context, refusesNonFinite, values -> takePlain(context.call(), values));
        }
        if (passesDense) {
            long[] magnitudes = new long[context.world()];
            Optional<CallRejection> refusal =
                    exchange(context, Double.doubleToRawLongBits(largest(context)), magnitudes);
            if (refusal.isPresent()) {
                return refusal;
            }
            if (!(Arrays.stream(magnitudes)
                            .mapToDouble(Double::longBitsToDouble)
                            .sum()
                    <= codec.largest() / MARGIN)) {
                return sumPlain(context, values -> takePlain(context.call(), values));
            }
        }
        Signature signature = context.call().signature();
        var layout = EncodedParts.of(codec, signature.count(), context.world(), context.segmentBytes());
        Buffers.Buffer slots = buffers().take(layout.bytes() + layout.slotBytes());
        hold(slots);
        int divisor = signature.op() == ReduceOp.AVG ? context.world() : 1;
        long draw = Seeds.of(context.exchange().number(), key);
        Optional<CallRejection> refusal = isRing
                ? aroundRing(context, layout, slots.bytes(), draw, divisor)
                : direct(context, layout, slots.bytes(), draw, divisor);
        if (refusal.isPresent()) {
            return refusal;
        }
        if (inPlace()) {
            return context.held();
        }
        long since = context.exchange().watch().codecNow();
        make(signature, context.work());
        context.exchange().watch().coded(Phase.DECODE, signature.bytes(), since);
        return Optional.empty();
    }

    private double largest(OperationContext context) {
        MemorySegment input = context.call().input();
        long count = context.call().signature().count();
        return memory.isPresent() ? memory.get().maxMagnitude(key, input, count) : MaxMagnitude.of(input, count);
    }

    /** Adds the residuals to the plain values. */
    private void takePlain(Call call, MemorySegment values) {
        Signature signature = call.signature();
        if (memory.isPresent()) {
            pend(memory.get().prepareDense(key, call.input(), signature.count(), values));
        } else {
            MemorySegment.copy(call.input(), 0, values, 0, signature.bytes());
        }
    }

    private Optional<CallRejection> aroundRing(
            OperationContext context, EncodedParts layout, MemorySegment slots, long draw, int divisor)
            throws IOException {
        Buffers.Buffer sums = buffers().take(context.call().signature().bytes());
        try {
            var tools = tools(context, layout, slots, sums.bytes(), draw);
            result = new Result(tools, divisor);
            var schedule = new RingAllReduce(
                    context.hop(), context.world(), layout.parts(), layout.slotBytes(), layout.slotBytes());
            var work = new RingSegments(tools, context.call().input(), sums.bytes(), reducer);
            return context.exchange().play(schedule, context.mesh().byHop(), Region.of(slots), Region.of(slots), work);
        } finally {
            buffers().give(sums);
        }
    }

    private Optional<CallRejection> direct(
            OperationContext context, EncodedParts layout, MemorySegment slots, long draw, int divisor)
            throws IOException {
        var tools = tools(context, layout, slots, context.call().input(), draw);
        result = new Result(tools, 1);
        var region = Region.of(slots);
        var shares = ownership.shares(layout.parts(), context.world());
        if (!shares.allOwn()) {
            Optional<CallRejection> refusal = context.noted(region, region);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        int rank = context.mesh().rank();
        Buffers.Buffer sums = buffers().take(shares.count(rank) * layout.valuesEach() * Float.BYTES);
        try {
            var schedule = new DirectAllReduce(rank, shares, layout.slotBytes(), layout.slotBytes());
            var own = new DirectSegments.Own(shares.start(rank), sums.bytes(), divisor);
            var work = new DirectSegments(tools, own, reducer, draw);
            return context.exchange().play(schedule, context.mesh().byRank(), region, region, work);
        } finally {
            buffers().give(sums);
        }
    }

    private Tools tools(
            OperationContext context, EncodedParts layout, MemorySegment slots, MemorySegment source, long draw) {
        long ownDraw = Seeds.by(draw, context.mesh().rank());
        MemorySegment scratch = slots.asSlice(layout.bytes(), layout.slotBytes());
        return new Tools(
                context.mesh(),
                codec,
                layout,
                encoder(source, layout.count(), ownDraw),
                slots,
                scratch,
                context.exchange().watch());
    }

    private PartEncoder encoder(MemorySegment source, long count, long draw) {
        if (memory.isEmpty()) {
            return new QuantisedSegments.Forgetting(codec, source, draw);
        }
        PendingParts parts = memory.get().begin(key, source, count, draw);
        pend(parts);
        return new QuantisedSegments.Remembering(parts);
    }

    @Override
    public Phase delivery() {
        return result == null ? Phase.COPY : super.delivery();
    }

    @Override
    void make(Signature signature, MemorySegment values) {
        Result encoded = result;
        if (encoded == null) {
            MemorySegment.copy(plainSum(), 0, values, 0, signature.bytes());
            return;
        }
        EncodedParts layout = encoded.tools.layout();
        Workers able = threads.over(values);
        able.divide(able.pieces(layout.count()), layout.parts(), 1, (_, from, end) -> make(encoded, from, end, values));
    }

    private void make(Result encoded, long from, long end, MemorySegment values) {
        EncodedParts layout = encoded.tools.layout();
        for (long part = from; part < end; part++) {
            long first = layout.first(part);
            long count = layout.values(part);
            try {
                codec.decodePart(encoded.tools.encoding(part), values, first, count);
            } catch (MalformedMessageException bug) {
                throw QuantisedSegments.unreadable(codec, bug);
            }
            if (encoded.divisor > 1) {
                reducer.divide(DataType.FLOAT32, values, first * Float.BYTES, count, encoded.divisor);
            }
        }
    }
}
