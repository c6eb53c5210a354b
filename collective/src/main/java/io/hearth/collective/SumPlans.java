package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.PassDenseCodec;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.util.Locale;
import java.util.Optional;

/** How an all-reduce is done: as it is, in place, or by one of the ways to compress it. Decides by what all ranks know alike. */
final class SumPlans {
    private final EngineOptions options;
    private final Buffers buffers;
    private final Reducer reducer;
    private final CompressionMemories memories;
    private final DirectPlay direct;

    SumPlans(EngineOptions options, Buffers buffers, Reducer reducer, CompressionMemories memories) {
        this.options = options;
        this.buffers = buffers;
        this.reducer = reducer;
        this.memories = memories;
        this.direct = new DirectPlay(reducer, buffers);
    }

    /**
     * For {@code count} elements.
     *
     * @throws IllegalArgumentException if the call itself asks for a compression that is not for these, or one that a segment has no
     *     room for
     */
    Plan plan(long count, DataType type, ReduceOp op, CollectiveOptions how) {
        AllReduceStrategy way = how.allReduce().orElse(options.config().allReduce());
        Ownership ownership = way == AllReduceStrategy.DIRECT ? how.ownership() : Ownership.EQUAL;
        CompressionStrategy compression = how.compression().orElse(options.compression());
        boolean fits = fits(type, op);
        if (!fits && how.compression().isPresent() && !compression.equals(CompressionStrategy.NONE)) {
            throw new IllegalArgumentException("compression " + compression.text()
                    + " is for SUM and AVG of float32, not for " + op + " of " + type);
        }
        if (!fits) {
            return plain(op, type, count, way, ownership);
        }
        String key = key(how, count);
        return switch (compression) {
            case CompressionStrategy.None _ -> plain(op, type, count, way, ownership);
            case CompressionStrategy.Coded coded -> coded(op, count, way, ownership, coded, key);
            case CompressionStrategy.Dgc dgc -> gathered(op, count, dgc, new Encodings.ByDgc(memories.of(dgc)), key);
            case CompressionStrategy.Auto _ ->
                throw new IllegalStateException("auto is no codec: AutoSums chooses one");
            case CompressionStrategy.LowRank lowRank -> lowRank(op, count, way, ownership, lowRank, key, how);
        };
    }

    /** Whether the group chooses the codec of such a call, and among which. */
    Optional<CompressionStrategy.Auto> auto(DataType type, ReduceOp op, CollectiveOptions how) {
        CompressionStrategy compression = how.compression().orElse(options.compression());
        return fits(type, op) && compression instanceof CompressionStrategy.Auto auto
                ? Optional.of(auto)
                : Optional.empty();
    }

    private static boolean fits(DataType type, ReduceOp op) {
        return type == DataType.FLOAT32 && (op == ReduceOp.SUM || op == ReduceOp.AVG);
    }

    /** The name by its size of a tensor that was given none, if its sum depends on what is remembered by that name. */
    Optional<String> unnamed(long count, DataType type, ReduceOp op, CollectiveOptions how) {
        CompressionStrategy compression = how.compression().orElse(options.compression());
        boolean remembers = how.isUnnamed()
                && fits(type, op)
                && CompressionMemories.remembers(compression)
                && switch (compression) {
                    case CompressionStrategy.Auto _ -> count * Float.BYTES >= AutoSums.BYTES_MIN;
                    case CompressionStrategy.LowRank lowRank ->
                        shape(count, how).isWorth(lowRank.rank());
                    case CompressionStrategy.Coded _, CompressionStrategy.Dgc _ -> count > 0;
                };
        return remembers ? Optional.of(key(how, count)) : Optional.empty();
    }

    private static MatrixShape shape(long count, CollectiveOptions how) {
        return how.shape().orElseGet(() -> MatrixShape.square(Math.max(1, count)));
    }

    /** Names a tensor in what compressions remember. */
    static String key(CollectiveOptions how, long count) {
        return how.key().orElse("float32[" + count + "]");
    }

    private Plan plain(ReduceOp op, DataType type, long count, AllReduceStrategy way, Ownership ownership) {
        String name = way.name().toLowerCase(Locale.ROOT) + ownership.text();
        boolean mayGoRound = way == AllReduceStrategy.AUTO || way == AllReduceStrategy.RING;
        if (mayGoRound && count * type.bytes() >= options.config().inPlaceBytesMin()) {
            return new Plan(Signature.inPlace(op, type, count, name), new SumInPlace());
        }
        return new Plan(
                Signature.combining(Signature.Kind.ALL_REDUCE, op, type, count, name),
                new PlainSum(way, ownership, direct));
    }

    private Plan coded(
            ReduceOp op,
            long count,
            AllReduceStrategy way,
            Ownership ownership,
            CompressionStrategy.Coded compression,
            String key) {
        Codec codec = compression.codec(reducer.codecKernels());
        boolean passesDense = codec instanceof PassDenseCodec;
        Codec within = PassDenseCodec.within(codec);
        if (within instanceof BlockCodec blocks) {
            EncodedParts.demandFits(blocks, options.config().segmentBytes());
            if (!EncodedParts.pays(blocks, count)) {
                return plain(op, DataType.FLOAT32, count, way, ownership);
            }
            boolean isRing = way == AllReduceStrategy.RING;
            AllReduceStrategy taken = isRing ? AllReduceStrategy.RING : AllReduceStrategy.DIRECT;
            String name = taken.name().toLowerCase(Locale.ROOT) + ownership.text();
            boolean inPlace = isLarge(count);
            var signature = Signature.encoded(op, count, compression.text(), name, inPlace);
            var sum = new QuantisedSum(
                    blocks, owed(compression), key, isRing, ownership, passesDense, inPlace, buffers, reducer);
            return new Plan(signature, sum);
        }
        return gathered(op, count, compression, Encodings.ByCodec.of(compression, codec, owed(compression)), key);
    }

    private Optional<ErrorFeedback> owed(CompressionStrategy.Coded compression) {
        return compression.isOwed() ? Optional.of(memories.of(compression)) : Optional.empty();
    }

    private Plan gathered(ReduceOp op, long count, CompressionStrategy compression, Encodings encodings, String key) {
        boolean inPlace = encodings.isSparse() && isLarge(count);
        var signature = Signature.encoded(op, count, compression.text(), Signature.AUTO, inPlace);
        return new Plan(signature, new GatheredSum(encodings, key, inPlace, buffers, reducer));
    }

    private boolean isLarge(long count) {
        return count * Float.BYTES >= options.config().inPlaceBytesMin();
    }

    private Plan lowRank(
            ReduceOp op,
            long count,
            AllReduceStrategy way,
            Ownership ownership,
            CompressionStrategy.LowRank compression,
            String key,
            CollectiveOptions how) {
        MatrixShape shape = shape(count, how);
        if (how.shape().isPresent() && shape.count() != count) {
            throw new IllegalArgumentException(
                    count + " values are no matrix of " + shape.text() + ", which has " + shape.count());
        }
        if (!shape.isWorth(compression.rank())) {
            return plain(op, DataType.FLOAT32, count, way, ownership);
        }
        String text = compression.text() + ":" + shape.text();
        return new Plan(
                Signature.encoded(op, count, text, Signature.AUTO, true),
                new LowRankSum(memories.of(compression), key, shape, buffers));
    }
}
