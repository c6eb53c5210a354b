package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.RingAllGather;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.SparseSum;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of whole encodings: each rank encodes its contribution once, all encodings go to all ranks around the mesh, and every rank
 * decodes and adds them in rank order. So all end with the same bits, nothing is encoded twice, and the error does not grow
 * with the number of ranks.
 *
 * <p>Right for sparse encodings that differ from rank to rank. Where all of them together are longer than what a plain sum moves, each
 * rank decodes its own and a plain sum it is.
 *
 * <p>Done in place if encodings are sparse, because these can be proved sound before anything is overwritten.
 */
final class GatheredSum extends EncodedContribution {
    private static final int STRIDE_ALIGNMENT = 64;

    /** A rank gets the encodings of all others, or the plain bytes of all others' shares, twice: as contributions and as results. */
    private static final int PLAIN_FACTOR = 2;

    private final Encodings encodings;
    private final String key;
    private final Reducer reducer;
    private List<MemorySegment> byRank = List.of(); // what the result is made of; none where it is there already

    /**
     * A call's contribution.
     *
     * @param key names the tensor in what the encodings remember
     * @param inPlace for sparse encodings only
     */
    GatheredSum(Encodings encodings, String key, boolean inPlace, Buffers buffers, Reducer reducer) {
        super(inPlace, buffers);
        this.encodings = encodings;
        this.key = key;
        this.reducer = reducer;
    }

    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        release();
        byRank = List.of();
        Signature signature = place.call().signature();
        long stride = Math.ceilDiv(encodings.bytesMax(signature.count()), STRIDE_ALIGNMENT) * STRIDE_ALIGNMENT;
        Buffers.Buffer slots = buffers().take(Math.multiplyExact(stride, (long) place.world()));
        try {
            var table = new Table(place, slots, stride);
            Optional<Refusal> refusal = encode(table);
            if (refusal.isPresent()) {
                return refusal;
            }
            if (table.bytes() > PLAIN_FACTOR * signature.bytes()) {
                return addPlain(table);
            }
            refusal = table.gather();
            return refusal.isPresent() ? refusal : add(table);
        } finally {
            if (byRank.isEmpty()) {
                buffers().give(slots);
            }
        }
    }

    /** One slot for each rank's encoding, in hop order; so are the lengths. */
    private static final class Table {
        private final Place place;
        private final Buffers.Buffer slots;
        private final long stride;
        private List<Long> lengths = List.of();

        Table(Place place, Buffers.Buffer slots, long stride) {
            this.place = place;
            this.slots = slots;
            this.stride = stride;
        }

        MemorySegment slot(int position, long bytes) {
            return slots.bytes().asSlice(position * stride, bytes);
        }

        MemorySegment own() {
            return slot(place.hop(), lengths.get(place.hop()));
        }

        long bytes() {
            return lengths.stream().mapToLong(Long::longValue).sum();
        }

        Optional<Refusal> gather() throws IOException {
            var schedule = new RingAllGather(place.hop(), Blocks.strided(lengths, stride), place.segmentBytes());
            var region = Exchange.Region.of(slots.bytes());
            return place.exchange().play(schedule, place.mesh().byHop(), region, region);
        }

        long length(NodeId member) {
            return lengths.get(position(member));
        }

        List<MemorySegment> byRank() {
            return place.mesh().members().stream()
                    .map(member -> slot(position(member), length(member)))
                    .toList();
        }

        private int position(NodeId member) {
            return place.mesh().byHop().position(place.mesh().rank(member));
        }
    }

    /** Makes the own encoding, and agrees on the lengths of all. */
    private Optional<Refusal> encode(Table table) throws IOException {
        Place place = table.place;
        long count = place.call().signature().count();
        long most = encodings.bytesMax(count);
        long bytes = 0;
        try {
            long since = place.exchange().watch().now();
            long draw = Draws.of(place.exchange().number(), key);
            MemorySegment slot = table.slot(place.hop(), most);
            var encoded = encodings.encode(key, place.call().input(), count, draw, place.world(), slot);
            encoded.pending().ifPresent(this::pend);
            bytes = encoded.bytes();
            place.exchange()
                    .watch()
                    .did(Phase.ENCODE, -1, place.call().signature().bytes(), since);
        } catch (NonFiniteException nonFinite) {
            place.exchange().refuse(place.exchange().notCarried(nonFinite));
        }
        long[] lengths = new long[place.world()];
        Optional<Refusal> refusal = exchange(place, bytes, lengths);
        if (refusal.isPresent()) {
            return refusal;
        }
        table.lengths = Arrays.stream(lengths).boxed().toList();
        for (NodeId member : place.mesh().members()) {
            long length = table.length(member);
            if (length < 0 || length > most) {
                return malformed(place, member, length + " bytes for " + count + " values");
            }
        }
        return Optional.empty();
    }

    /** Round the ring, as they are. */
    private Optional<Refusal> addPlain(Table table) throws IOException {
        Place place = table.place;
        Signature signature = place.call().signature();
        return sumPlain(place, sum -> {
            long since = place.exchange().watch().now();
            try {
                encodings.decode(table.own(), sum, signature.count());
            } catch (MalformedMessageException bug) {
                throw new AssertionError(encodings.name() + " cannot read what it wrote", bug);
            }
            place.exchange().watch().did(Phase.DECODE, -1, signature.bytes(), since);
        });
    }

    private Optional<Refusal> add(Table table) throws IOException {
        Place place = table.place;
        List<MemorySegment> all = table.byRank();
        if (!inPlace()) {
            return add(place, all);
        }
        for (int rank = 0; rank < all.size(); rank++) {
            try {
                SparseSum.check(all.get(rank), place.call().signature().count());
            } catch (MalformedMessageException malformed) {
                return malformed(place, place.mesh().members().get(rank), malformed.getMessage());
            }
        }
        byRank = all;
        hold(table.slots);
        return place.held();
    }

    private Optional<Refusal> add(Place place, List<MemorySegment> all) {
        Signature signature = place.call().signature();
        MemorySegment sum = place.work();
        for (int rank = 0; rank < all.size(); rank++) {
            long since = place.exchange().watch().now();
            try {
                if (rank == 0) {
                    encodings.decode(all.get(rank), sum, signature.count());
                } else {
                    encodings.decodeAndAdd(all.get(rank), sum, signature.count());
                }
                place.exchange().watch().did(Phase.DECODE, -1, signature.bytes(), since);
            } catch (MalformedMessageException malformed) {
                return malformed(place, place.mesh().members().get(rank), malformed.getMessage());
            }
        }
        if (signature.op() == ReduceOp.AVG) {
            reducer.divide(signature.type(), sum, 0, signature.count(), all.size());
        }
        return Optional.empty();
    }

    /** All ranks have the same bytes, so all come to this without a word. */
    private Optional<Refusal> malformed(Place place, NodeId member, @Nullable String what) {
        return Optional.of(new Refusal(
                Refusal.Cause.MALFORMED,
                place.mesh().name(member) + " sent no encoding of '" + encodings.name() + "': " + what));
    }

    @Override
    public Phase delivery() {
        return byRank.isEmpty() ? Phase.COPY : Phase.DECODE;
    }

    @Override
    void make(Signature signature, MemorySegment result) {
        if (byRank.isEmpty()) {
            MemorySegment.copy(plainSum(), 0, result, 0, signature.bytes());
            return;
        }
        int divisor = signature.op() == ReduceOp.AVG ? byRank.size() : 1;
        try {
            SparseSum.decodeAll(byRank, divisor, result, signature.count());
        } catch (MalformedMessageException bug) {
            throw new AssertionError("an encoding that was sound is no more", bug);
        }
    }
}
