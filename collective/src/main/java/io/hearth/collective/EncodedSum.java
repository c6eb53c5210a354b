package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.RingAllGather;
import io.hearth.compression.Codec;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
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
 * A sum of encodings: each rank encodes its contribution once, all encodings go to all ranks around the mesh, and every rank
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
        Mesh mesh = place.mesh();
        Signature signature = place.call().signature();
        long count = signature.count();
        long stride = Math.ceilDiv(codec.encodedBytesMax(count), STRIDE_ALIGNMENT) * STRIDE_ALIGNMENT;
        Buffers.Buffer encodings = buffers.take(Math.multiplyExact(stride, (long) mesh.world()));
        try {
            Buffers.Buffer lengths = buffers.take((long) mesh.world() * Long.BYTES);
            try {
                return gather(place, stride, encodings.bytes(), lengths.bytes());
            } finally {
                buffers.give(lengths);
            }
        } finally {
            buffers.give(encodings);
        }
    }

    /** Slots of both buffers follow hop order. */
    private Optional<Refusal> gather(Place place, long stride, MemorySegment encodings, MemorySegment lengths)
            throws IOException {
        Mesh mesh = place.mesh();
        Signature signature = place.call().signature();
        MemorySegment work = place.call().work().bytes();
        int own = mesh.byHop().position(mesh.rank());
        MemorySegment.copy(place.call().input(), 0, work, 0, signature.bytes());
        encode(place, work, encodings.asSlice(own * stride, stride), lengths);
        List<Long> eachLong = Collections.nCopies(mesh.world(), (long) Long.BYTES);
        Optional<Refusal> refusal = gather(place, eachLong, Long.BYTES, lengths);
        if (refusal.isPresent()) {
            return refusal;
        }
        var sizes = new ArrayList<Long>();
        long most = codec.encodedBytesMax(signature.count());
        for (int position = 0; position < mesh.world(); position++) {
            sizes.add(lengths.get(LONG, (long) position * Long.BYTES));
        }
        for (NodeId member : mesh.members()) {
            long size = sizes.get(position(mesh, member));
            if (size < 0 || size > most) {
                return malformed(place, member, size + " bytes for " + signature.count() + " values");
            }
        }
        refusal = gather(place, sizes, stride, encodings);
        return refusal.isPresent() ? refusal : add(place, encodings, stride, sizes, work);
    }

    private static Optional<Refusal> gather(Place place, List<Long> lengths, long stride, MemorySegment table)
            throws IOException {
        Exchange.Order hops = place.mesh().byHop();
        var schedule = new RingAllGather(
                hops.position(place.mesh().rank()), Blocks.strided(lengths, stride), place.segmentBytes());
        return place.exchange().play(schedule, hops, Exchange.Region.of(table), Exchange.Region.of(table));
    }

    private static int position(Mesh mesh, NodeId member) {
        return mesh.byHop().position(mesh.rank(member));
    }

    private void encode(Place place, MemorySegment values, MemorySegment slot, MemorySegment lengths) {
        long count = place.call().signature().count();
        try {
            long bytes;
            if (memory.isPresent()) {
                ErrorFeedback.Pending prepared = memory.get().prepare(key, values, count, slot);
                pending = prepared;
                bytes = prepared.encodedBytes();
            } else {
                bytes = codec.encode(values, count, slot);
            }
            Mesh mesh = place.mesh();
            lengths.set(LONG, (long) position(mesh, mesh.self()) * Long.BYTES, bytes);
        } catch (NonFiniteException nonFinite) {
            place.exchange()
                    .refuse(new Refusal(
                            Refusal.Cause.NON_FINITE,
                            place.mesh().name(place.mesh().self()) + ": " + nonFinite.getMessage()));
        }
    }

    private Optional<Refusal> add(
            Place place, MemorySegment encodings, long stride, List<Long> sizes, MemorySegment sum) {
        Signature signature = place.call().signature();
        Mesh mesh = place.mesh();
        for (int rank = 0; rank < sizes.size(); rank++) {
            NodeId member = mesh.members().get(rank);
            int position = position(mesh, member);
            MemorySegment encoding = encodings.asSlice(position * stride, sizes.get(position));
            try {
                if (rank == 0) {
                    codec.decode(encoding, sum, signature.count());
                } else {
                    codec.decodeAndAdd(encoding, sum, signature.count());
                }
            } catch (MalformedMessageException malformed) {
                return malformed(place, member, String.valueOf(malformed.getMessage()));
            }
        }
        if (signature.op() == ReduceOp.AVG) {
            reducer.divide(signature.type(), sum, 0, signature.count(), sizes.size());
        }
        return Optional.empty();
    }

    /** All ranks have the same bytes, so all come to this without a word. */
    private Optional<Refusal> malformed(Place place, NodeId member, String what) {
        Mesh mesh = place.mesh();
        return Optional.of(new Refusal(
                Refusal.Cause.MALFORMED, mesh.name(member) + " sent no encoding of '" + codec.name() + "': " + what));
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
