package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.compression.Codec;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of encodings: each rank encodes its contribution once, all encodings go to all ranks around the ring, and every rank
 * decodes and adds them in rank order. So all end with the same bits, nothing is encoded twice, and the error does not grow
 * with the number of ranks. Right for sparse encodings; dense ones cost {@code world - 1} encodings per rank.
 */
final class EncodedSum implements Contribution {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int STRIDE_ALIGNMENT = 64;

    private final Codec codec;
    private final Optional<ErrorFeedback> memory;
    private final String key;
    private final Buffers buffers;
    private final Reducer reducer;
    private ErrorFeedback.@Nullable Pending pending;

    /**
     * A call's contribution.
     *
     * @param memory what the codec left out before; empty for lossless codecs
     * @param key names the tensor in it
     */
    EncodedSum(Codec codec, Optional<ErrorFeedback> memory, String key, Buffers buffers, Reducer reducer) {
        this.codec = codec;
        this.memory = memory;
        this.key = key;
        this.buffers = buffers;
        this.reducer = reducer;
    }

    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Ring ring = place.ring();
        Signature signature = place.call().signature();
        long count = signature.count();
        long stride = Math.ceilDiv(codec.encodedBytesMax(count), STRIDE_ALIGNMENT) * STRIDE_ALIGNMENT;
        Buffers.Buffer encodings = buffers.take(Math.multiplyExact(stride, (long) ring.world()));
        Buffers.Buffer lengths = buffers.take((long) ring.world() * Long.BYTES);
        try {
            MemorySegment work = place.call().work().bytes();
            MemorySegment.copy(place.call().values(), 0, work, 0, signature.bytes());
            encode(place, work, encodings.bytes().asSlice(ring.rank() * stride, stride), lengths.bytes());
            List<Long> eachLong = Collections.nCopies(ring.world(), (long) Long.BYTES);
            Optional<Refusal> refusal = place.exchange()
                    .play(new GatherSchedule(ring.rank(), eachLong, Long.BYTES, place.segmentBytes()), lengths.bytes());
            if (refusal.isPresent()) {
                return refusal;
            }
            var sizes = new ArrayList<Long>();
            for (int rank = 0; rank < ring.world(); rank++) {
                sizes.add(lengths.bytes().get(LONG, (long) rank * Long.BYTES));
                if (sizes.get(rank) < 0 || sizes.get(rank) > codec.encodedBytesMax(count)) {
                    return malformed(place, rank, sizes.get(rank) + " bytes for " + count + " values");
                }
            }
            refusal = place.exchange()
                    .play(new GatherSchedule(ring.rank(), sizes, stride, place.segmentBytes()), encodings.bytes());
            return refusal.isPresent() ? refusal : add(place, encodings.bytes(), stride, sizes, work);
        } finally {
            buffers.give(encodings);
            buffers.give(lengths);
        }
    }

    private void encode(Place place, MemorySegment values, MemorySegment slot, MemorySegment lengths) {
        long count = place.call().signature().count();
        int rank = place.ring().rank();
        try {
            long bytes;
            if (memory.isPresent()) {
                ErrorFeedback.Pending prepared = memory.get().prepare(key, values, count, slot);
                pending = prepared;
                bytes = prepared.encodedBytes();
            } else {
                bytes = codec.encode(values, count, slot);
            }
            lengths.set(LONG, (long) rank * Long.BYTES, bytes);
        } catch (NonFiniteException nonFinite) {
            place.exchange()
                    .refuse(new Refusal(
                            Refusal.Cause.NON_FINITE,
                            place.ring().name(place.ring().members().get(rank)) + ": " + nonFinite.getMessage()));
        }
    }

    private Optional<Refusal> add(
            Place place, MemorySegment encodings, long stride, List<Long> sizes, MemorySegment sum) {
        Signature signature = place.call().signature();
        for (int rank = 0; rank < sizes.size(); rank++) {
            MemorySegment encoding = encodings.asSlice(rank * stride, sizes.get(rank));
            try {
                if (rank == 0) {
                    codec.decode(encoding, sum, signature.count());
                } else {
                    codec.decodeAndAdd(encoding, sum, signature.count());
                }
            } catch (MalformedMessageException malformed) {
                return malformed(place, rank, String.valueOf(malformed.getMessage()));
            }
        }
        if (signature.op() == ReduceOp.AVG) {
            reducer.divide(signature.type(), sum, sizes.size());
        }
        return Optional.empty();
    }

    /** All ranks have the same bytes, so all come to this without a word. */
    private Optional<Refusal> malformed(Place place, int rank, String what) {
        Ring ring = place.ring();
        return Optional.of(new Refusal(
                Refusal.Cause.MALFORMED,
                ring.name(ring.members().get(rank)) + " sent no encoding of '" + codec.name() + "': " + what));
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
