package io.hearth.collective.sum.compressed;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Seeds;
import io.hearth.collective.schedule.Blocks;
import io.hearth.collective.schedule.RingAllGather;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.memory.SparsePending;
import io.hearth.compression.sparse.GradualEncoding;
import io.hearth.compression.sparse.SparseSum;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A sum of whole encodings. Each rank encodes its contribution once, and all encodings go to all ranks round the ring. Every rank
 * decodes and adds them in rank order. So all ranks end with the same bits, nothing is encoded twice, and the error does not grow
 * with the number of ranks.
 *
 * <p>If all encodings have one length, a rank makes its own while its first bytes travel.
 *
 * <p>This suits sparse encodings that differ from rank to rank. If all encodings together are longer than the bytes that a plain
 * sum moves, each rank decodes its own and the ranks do a plain sum. This also bounds the memory for encodings.
 *
 * <p>A large sum of sparse encodings is done in place: a rank can check all of them before it overwrites anything.
 */
public final class GatheredSum extends EncodedOperation {
    private static final long ALIGNMENT = 64;

    /** Segments per encoding, unless they would be shorter than {@link #SEGMENT_BYTES_MIN}. */
    private static final long SEGMENTS = 16;

    private static final long SEGMENT_BYTES_MIN = 16 * 1024;

    /** A plain sum moves the tensor's bytes about twice: as contributions and as results. */
    private static final int PLAIN_FACTOR = 2;

    private static final NoneCodec PLAIN = new NoneCodec();

    private final Encodings encodings;
    private final String key;
    private final Reducer reducer;
    private final CodecThreads threads;
    private List<MemorySegment> byRank = List.of(); // to make the result from; empty if it exists already

    /**
     * Creates the operation of one call.
     *
     * @param key name of the tensor in the memory of {@code encodings}
     * @param inPlace true for sparse encodings only
     */
    public GatheredSum(
            Encodings encodings, String key, boolean inPlace, Buffers buffers, Reducer reducer, CodecThreads threads) {
        super(inPlace, buffers);
        this.encodings = encodings;
        this.key = key;
        this.reducer = reducer;
        this.threads = threads;
    }

    @Override
    public void requireRoom() {
        encodings.requireRoom(key);
    }

    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        release();
        byRank = List.of();
        threads.share(context.mesh().ranksHere());
        if (context.world() == 1) {
            return alone(context, !encodings.carriesNonFinite(), values -> takePlain(context.call(), values));
        }
        Signature signature = context.call().signature();
        long[] lengths = new long[context.world()];
        Arrays.fill(lengths, encodings.bytesMax(signature.count()));
        Buffers.Buffer own = buffers().take(encodings.roomBytes(signature.count()));
        holdOwn(own);
        if (encodings.isFixedRate() && !isPlain(signature, lengths)) {
            Optional<GradualEncoding> making =
                    encodings.begin(threads, key, context.call().input(), signature.count(), own.bytes());
            if (making.isPresent()) {
                making.get().pending().ifPresent(this::pend);
                return gather(table(context, lengths), making.get(), own.bytes());
            }
        }
        MemorySegment encoding = encode(context, own.bytes());
        if (!encodings.isFixedRate()) {
            Optional<CallRejection> refused = exchange(context, encoding.byteSize(), lengths);
            if (refused.isEmpty()) {
                refused = checkLengths(context, lengths);
            }
            if (refused.isPresent()) {
                return refused;
            }
        }
        if (isPlain(signature, lengths)) {
            return addPlain(context, encoding);
        }
        return gather(table(context, lengths), _ -> 0, encoding);
    }

    private static boolean isPlain(Signature signature, long[] lengths) {
        return Arrays.stream(lengths).sum() > PLAIN_FACTOR * signature.bytes();
    }

    private Optional<CallRejection> gather(Table table, GradualEncoding making, MemorySegment own) throws IOException {
        try {
            Optional<CallRejection> refusal = table.gather(making, own);
            return refusal.isPresent() ? refusal : add(table);
        } finally {
            if (byRank.isEmpty()) {
                buffers().give(table.memory);
            }
        }
    }

    /**
     * The encodings of all ranks in hop order, one behind the other, without gaps beyond alignment.
     *
     * @param segmentBytes small, so that the first segment leaves early; the same on all ranks
     */
    private record Table(OperationContext context, Buffers.Buffer memory, Blocks blocks, int segmentBytes) {
        Optional<CallRejection> gather(GradualEncoding making, MemorySegment own) throws IOException {
            var schedule = new RingAllGather(context.hop(), blocks, segmentBytes);
            var region = Region.of(memory.bytes());
            var work =
                    new GradualSegments(context.exchange(), making, own, memory.bytes(), blocks.offset(context.hop()));
            return context.exchange().play(schedule, context.mesh().byHop(), region, region, work);
        }

        List<MemorySegment> byRank() {
            return context.mesh().members().stream()
                    .map(member -> block(position(context, member)))
                    .toList();
        }

        private MemorySegment block(int position) {
            return memory.bytes().asSlice(blocks.offset(position), blocks.length(position));
        }
    }

    private static int position(OperationContext context, NodeId member) {
        return context.mesh().byHop().position(context.mesh().rank(member));
    }

    private Table table(OperationContext context, long[] lengths) {
        var offsets = new ArrayList<Long>();
        long end = 0;
        long longest = 0;
        for (long length : lengths) {
            offsets.add(end);
            longest = Math.max(longest, length);
            end += Math.ceilDiv(length, ALIGNMENT) * ALIGNMENT;
        }
        var blocks = Blocks.at(offsets, Arrays.stream(lengths).boxed().toList());
        long wanted = Math.max(SEGMENT_BYTES_MIN, Math.ceilDiv(longest, SEGMENTS * Long.BYTES) * Long.BYTES);
        return new Table(context, buffers().take(end), blocks, (int) Math.min(context.segmentBytes(), wanted));
    }

    /** This rank's encoding; empty if its values cannot be carried, and then the call is rejected on all ranks. */
    private MemorySegment encode(OperationContext context, MemorySegment room) throws IOException {
        Signature signature = context.call().signature();
        try {
            long since = context.exchange().watch().codecNow();
            long draw = Seeds.of(context.exchange().number(), key);
            var encoded = encodings.encode(key, context.call().input(), signature.count(), draw, context.world(), room);
            encoded.pending().ifPresent(this::pend);
            context.exchange().watch().coded(Phase.ENCODE, signature.bytes(), since);
            return room.asSlice(0, encoded.bytes());
        } catch (NonFiniteException nonFinite) {
            if (encodings.passesPlain()) {
                return encodePlain(context.call());
            }
            context.exchange().refuse(context.exchange().notCarried(nonFinite));
            return MemorySegment.NULL;
        }
    }

    /** Uses separate memory: values that are not finite are rare, and plain values need much more room. */
    private MemorySegment encodePlain(Call call) {
        long count = call.signature().count();
        Buffers.Buffer plain = buffers().take(PLAIN.encodedBytesMax(count));
        holdOwn(plain);
        takePlain(call, NoneCodec.begin(plain.bytes(), count));
        return plain.bytes();
    }

    private void takePlain(Call call, MemorySegment values) {
        encodings.takePlain(key, call.input(), call.signature().count(), values).ifPresent(this::pend);
    }

    private Optional<CallRejection> checkLengths(OperationContext context, long[] lengths) {
        long count = context.call().signature().count();
        long most = encodings.bytesMax(count);
        for (NodeId member : context.mesh().members()) {
            long length = lengths[position(context, member)];
            if (length < 0 || length > most) {
                return malformed(context, member, length + " bytes for " + count + " values");
            }
        }
        return Optional.empty();
    }

    /** Decodes this rank's encoding and sums plain values round the ring. */
    private Optional<CallRejection> addPlain(OperationContext context, MemorySegment own) throws IOException {
        Signature signature = context.call().signature();
        return sumPlain(context, sum -> {
            if (own.byteSize() == 0) {
                return; // rejected: nothing is summed, and the exchange reports that to all ranks
            }
            long since = context.exchange().watch().codecNow();
            try {
                encodings.decode(own, sum, signature.count());
            } catch (MalformedMessageException bug) {
                throw new AssertionError(encodings.name() + " cannot read what it wrote", bug);
            }
            context.exchange().watch().coded(Phase.DECODE, signature.bytes(), since);
        });
    }

    private Optional<CallRejection> add(Table table) throws IOException {
        OperationContext context = table.context();
        List<MemorySegment> all = table.byRank();
        if (!inPlace()) {
            return add(context, all);
        }
        for (int rank = 0; rank < all.size(); rank++) {
            try {
                SparseSum.check(all.get(rank), context.call().signature().count());
            } catch (MalformedMessageException malformed) {
                return malformed(context, context.mesh().members().get(rank), malformed.getMessage());
            }
        }
        byRank = all;
        hold(table.memory());
        return context.held();
    }

    private Optional<CallRejection> add(OperationContext context, List<MemorySegment> all) {
        Signature signature = context.call().signature();
        MemorySegment sum = context.work();
        for (int rank = 0; rank < all.size(); rank++) {
            long since = context.exchange().watch().codecNow();
            try {
                if (rank == 0) {
                    encodings.decode(all.get(rank), sum, signature.count());
                } else {
                    encodings.decodeAndAdd(all.get(rank), sum, signature.count());
                }
                context.exchange().watch().coded(Phase.DECODE, signature.bytes(), since);
            } catch (MalformedMessageException malformed) {
                return malformed(context, context.mesh().members().get(rank), malformed.getMessage());
            }
        }
        if (signature.op() == ReduceOp.AVG) {
            reducer.divide(signature.type(), sum, 0, signature.count(), all.size());
        }
        return Optional.empty();
    }

    /** All ranks have the same bytes, so all reject the call alike, without another message. */
    private Optional<CallRejection> malformed(OperationContext context, NodeId member, @Nullable String what) {
        return Optional.of(new CallRejection(
                CallRejection.Cause.MALFORMED,
                context.mesh().name(member) + " sent a malformed encoding of '" + encodings.name() + "': " + what));
    }

    @Override
    public Phase delivery() {
        return byRank.isEmpty() ? Phase.COPY : Phase.DECODE;
    }

    @Override
    void make(Signature signature, MemorySegment result) {
        if (byRank.isEmpty()) {
            pending().ifPresent(Pending::gradientEnds);
            MemorySegment.copy(plainSum(), 0, result, 0, signature.bytes());
            return;
        }
        int divisor = signature.op() == ReduceOp.AVG ? byRank.size() : 1;
        if (pending().orElse(null) instanceof SparsePending sparse) {
            sparse.deliver(byRank, divisor, result);
            return;
        }
        try {
            SparseSum.decodeAll(threads, byRank, divisor, result, signature.count());
        } catch (MalformedMessageException bug) {
            throw new AssertionError("an encoding passed its check, but cannot be decoded", bug);
        }
    }
}
