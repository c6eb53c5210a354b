package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.QuantisedSegments.PartEncoder;
import io.hearth.collective.QuantisedSegments.Tools;
import io.hearth.collective.schedule.DirectAllReduce;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.Shares;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of float32 values that travel encoded block by block, as a reduce-scatter and an all-gather of encodings: so it takes as many
 * bytes from every rank as a plain sum, divided by what the codec saves.
 *
 * <p>Among all pairs ({@link DirectSegments}) or round the ring ({@link RingSegments}). Either way all ranks decode the same bytes, and
 * end with the same bits.
 */
final class QuantisedSum implements Contribution {
    private final BlockCodec codec;
    private final Optional<ErrorFeedback> memory;
    private final String key;
    private final boolean isRing;
    private final Buffers buffers;
    private final Reducer reducer;
    private ErrorFeedback.@Nullable Parts pending;

    /**
     * A call's contribution.
     *
     * @param memory what the codec left out before; empty for none
     * @param key names the tensor in it
     * @param isRing round the ring, or else among all pairs
     */
    QuantisedSum(
            BlockCodec codec,
            Optional<ErrorFeedback> memory,
            String key,
            boolean isRing,
            Buffers buffers,
            Reducer reducer) {
        this.codec = codec;
        this.memory = memory;
        this.key = key;
        this.isRing = isRing;
        this.buffers = buffers;
        this.reducer = reducer;
    }

    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Signature signature = place.call().signature();
        var layout = EncodedParts.of(codec, signature.count(), place.world(), place.segmentBytes());
        Buffers.Buffer slots = buffers.take(layout.bytes());
        try {
            return attempt(place, layout, slots.bytes());
        } finally {
            buffers.give(slots);
        }
    }

    private Optional<Refusal> attempt(Place place, EncodedParts layout, MemorySegment slots) throws IOException {
        Call call = place.call();
        long draw = Draws.of(place.exchange().number(), key);
        MemorySegment source = isRing ? place.work() : call.input();
        int divisor = call.signature().op() == ReduceOp.AVG ? place.world() : 1;
        PartEncoder encoder =
                encoder(source, layout.count(), Draws.by(draw, place.mesh().self()));
        var tools = new Tools(place.mesh(), codec, layout, encoder, slots, place.work(), reducer, divisor);
        if (place.world() == 1) {
            return alone(place, tools);
        }
        var region = Exchange.Region.of(slots);
        if (isRing) {
            var schedule = new RingAllReduce(
                    place.hop(), place.world(), layout.parts(), layout.slotBytes(), layout.slotBytes());
            return place.exchange()
                    .play(schedule, place.mesh().byHop(), region, region, new RingSegments(tools, call.input()));
        }
        if (layout.parts() < place.world()) { // some own nothing
            Optional<Refusal> refusal = place.noted(region, region);
            if (refusal.isPresent()) {
                return refusal;
            }
        }
        var shares = Shares.equal(layout.parts(), place.world());
        var schedule = new DirectAllReduce(place.mesh().rank(), shares, layout.slotBytes(), layout.slotBytes());
        return place.exchange().play(schedule, place.mesh().byRank(), region, region, new DirectSegments(tools, draw));
    }

    private PartEncoder encoder(MemorySegment source, long count, long draw) {
        if (memory.isEmpty()) {
            return (first, values, slot) -> codec.encodePart(source, first, values, draw, slot);
        }
        ErrorFeedback.Parts parts = memory.get().begin(key, source, count, draw);
        pending = parts;
        return parts::encode;
    }

    private Optional<Refusal> alone(Place place, Tools tools) {
        try {
            if (isRing) { // whose encoder encodes what is in the sum
                MemorySegment.copy(
                        place.call().input(),
                        0,
                        tools.sum(),
                        0,
                        place.call().signature().bytes());
            }
            tools.alone();
            return Optional.empty();
        } catch (NonFiniteException notCarried) {
            return Optional.of(place.exchange().notCarried(notCarried));
        }
    }

    @Override
    public void commit() {
        if (pending != null) {
            pending.commit();
            pending = null;
        }
    }

    @Override
    public void rollBack() {
        if (pending != null) {
            pending.rollback();
            pending = null;
        }
    }
}
