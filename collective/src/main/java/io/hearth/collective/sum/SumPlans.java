package io.hearth.collective.sum;

import io.hearth.accel.Reducer;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.TensorShape;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.choice.CodecDecision;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.sum.compressed.CodecThreads;
import io.hearth.collective.sum.compressed.CompressionMemories;
import io.hearth.collective.sum.compressed.DrawnSum;
import io.hearth.collective.sum.compressed.EncodedParts;
import io.hearth.collective.sum.compressed.Encodings;
import io.hearth.collective.sum.compressed.GatheredSum;
import io.hearth.collective.sum.compressed.LowRankSum;
import io.hearth.collective.sum.compressed.QuantisedSum;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionRules;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.OnNonFinite;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** Plans all-reduces: plain, in place, or with a compression. It decides only from facts that are the same on all ranks. */
public final class SumPlans {
    private final EngineOptions options;
    private final Buffers buffers;
    private final Reducer reducer;
    private final CompressionMemories memories;
    private final CodecThreads threads;

    /**
     * The way in which one tensor of a list is summed.
     *
     * @param how its options, without shapes
     * @param block elements per block; in a bucket, a tensor begins at a multiple of it
     */
    public record Way(CollectiveOptions how, int block) {}

    public SumPlans(
            EngineOptions options,
            Buffers buffers,
            Reducer reducer,
            CompressionMemories memories,
            CodecThreads threads) {
        this.threads = threads;
        this.options = options;
        this.buffers = buffers;
        this.reducer = reducer;
        this.memories = memories;
    }

    /** The sum to plan, with its strategy and shares. */
    private record Sum(
            ReduceOp op, DataType type, long count, CollectiveOptions how, AllReduceStrategy way, Ownership ownership) {
        String key() {
            return SumPlans.key(how, count);
        }
    }

    /**
     * Plans the sum of {@code count} elements.
     *
     * @param bucket the bucket of a list, if they are one
     * @throws IllegalArgumentException if the call itself asks for a compression that these elements cannot have, or whose blocks
     *     do not fit into a segment
     */
    public CallPlan plan(long count, DataType type, ReduceOp op, CollectiveOptions how, Optional<TensorBucket> bucket) {
        return plan(count, type, op, how, spans(count, how, bucket)).of(bucket.map(TensorBucket::list));
    }

    private CallPlan plan(
            long count, DataType type, ReduceOp op, CollectiveOptions how, List<TensorBucket.Span> spans) {
        AllReduceStrategy way = how.allReduce().orElse(options.config().allReduce());
        Ownership ownership = way == AllReduceStrategy.DIRECT ? how.ownership() : Ownership.EQUAL;
        var sum = new Sum(op, type, count, how, way, ownership);
        CompressionStrategy compression = how.compression().orElse(options.compression());
        boolean fits = fits(type, op);
        if (!fits && how.compression().isPresent() && !compression.equals(CompressionStrategy.NONE)) {
            throw new IllegalArgumentException("compression " + compression.text()
                    + " is for SUM and AVG of float32, not for " + op + " of " + type);
        }
        if (!fits) {
            return plain(sum);
        }
        return switch (compression) {
            case CompressionStrategy.None _ -> plain(sum);
            case CompressionStrategy.RandomK randomK -> count == 0 ? plain(sum) : drawn(sum, randomK);
            case CompressionStrategy.Coded coded -> coded(sum, coded);
            case CompressionStrategy.Dgc dgc -> gathered(sum, dgc, new Encodings.ByDgc(memories.of(dgc)));
            case CompressionStrategy.Auto _ ->
                throw new IllegalStateException("auto is not a codec: AutoSums chooses one");
            case CompressionRules _ -> throw new IllegalStateException("rules are not a codec: ruled() chooses one");
            case CompressionStrategy.PowerSgd lowRank -> lowRank(sum, lowRank, spans);
        };
    }

    /** The codecs among which the group chooses for such a call; empty if it does not choose. */
    public Optional<CompressionStrategy.Auto> auto(DataType type, ReduceOp op, CollectiveOptions how) {
        CompressionStrategy compression = how.compression().orElse(options.compression());
        return fits(type, op) && compression instanceof CompressionStrategy.Auto auto
                ? Optional.of(auto)
                : Optional.empty();
    }

    private static boolean fits(DataType type, ReduceOp op) {
        return type == DataType.FLOAT32 && (op == ReduceOp.SUM || op == ReduceOp.AVG);
    }

    /** The name that an unnamed tensor gets from its size, if its sum depends on what a compression remembers by that name. */
    public Optional<String> unnamed(
            long count, DataType type, ReduceOp op, CollectiveOptions how, Optional<TensorBucket> bucket) {
        CompressionStrategy compression = how.compression().orElse(options.compression());
        boolean remembers = how.isUnnamed()
                && fits(type, op)
                && CompressionMemories.remembers(compression)
                && switch (compression) {
                    case CompressionStrategy.Auto _ -> count * Float.BYTES >= CodecDecision.BYTES_MIN;
                    case CompressionStrategy.PowerSgd lowRank ->
                        spans(count, how, bucket).stream().anyMatch(span -> isWorth(span, lowRank.rank()));
                    case CompressionStrategy.Coded _, CompressionStrategy.Dgc _ -> count > 0;
                    case CompressionRules _ ->
                        throw new IllegalStateException("rules are not a codec: ruled() chooses one");
                };
        return remembers ? Optional.of(key(how, count)) : Optional.empty();
    }

    /**
     * The options with the compression that the rules choose for this tensor; unchanged where no rules apply.
     *
     * @param count number of the tensor's values
     * @param shape of the tensor, if the caller gave one
     */
    public CollectiveOptions ruled(
            long count, DataType type, ReduceOp op, CollectiveOptions how, Optional<TensorShape> shape) {
        if (!(how.compression().orElse(options.compression()) instanceof CompressionRules rules) || !fits(type, op)) {
            return how;
        }
        OptionalInt dimensions =
                shape.isPresent() ? OptionalInt.of(shape.get().sizes().size()) : OptionalInt.empty();
        return how.as(rules.of(dimensions, count));
    }

    /** The way of each tensor of a list; rules may choose different ones. */
    public List<Way> ways(List<MemorySegment> tensors, DataType type, ReduceOp op, CollectiveOptions how) {
        List<TensorShape> shapes = shapes(type, op, how);
        CollectiveOptions common = how.shaped();
        var ways = new ArrayList<Way>();
        for (int i = 0; i < tensors.size(); i++) {
            Optional<TensorShape> shape = i < shapes.size() ? Optional.of(shapes.get(i)) : Optional.empty();
            CollectiveOptions own = ruled(Tensor.elements(tensors.get(i), type), type, op, common, shape);
            ways.add(new Way(own, block(type, op, own)));
        }
        return ways;
    }

    /** Elements per block. Each tensor of a bucket begins at a multiple of it, so that no two tensors share a block's scale. */
    private int block(DataType type, ReduceOp op, CollectiveOptions how) {
        CompressionStrategy compression = how.compression().orElse(options.compression());
        return fits(type, op) ? block(compression) : 1;
    }

    private static int block(CompressionStrategy compression) {
        return switch (compression) {
            case CompressionStrategy.Coded coded -> coded.block();
            case CompressionStrategy.Auto auto -> auto.block();
            case CompressionStrategy.Dgc _, CompressionStrategy.PowerSgd _, CompressionRules _ -> 1;
        };
    }

    /** The shapes of a list's tensors; empty where they do not matter. */
    public List<TensorShape> shapes(DataType type, ReduceOp op, CollectiveOptions how) {
        return fits(type, op) ? how.shapes() : List.of();
    }

    private static List<TensorBucket.Span> spans(long count, CollectiveOptions how, Optional<TensorBucket> bucket) {
        if (bucket.isPresent()) {
            return bucket.get().spans();
        }
        if (how.shapes().size() > 1) {
            throw new IllegalArgumentException(how.shapes().size() + " shapes for one tensor: give one, or none");
        }
        Optional<TensorShape> shape = how.shapes().stream().findFirst();
        shape.ifPresent(given -> requireFits(given, count));
        return List.of(new TensorBucket.Span(0, count, shape));
    }

    /**
     * Checks that a tensor can have a shape.
     *
     * @throws IllegalArgumentException if it has another number of values
     */
    public static void requireFits(TensorShape shape, long count) {
        if (shape.count() != count) {
            throw new IllegalArgumentException(
                    count + " values do not fit shape " + shape.text() + ", which has " + shape.count());
        }
    }

    /** Values per row; 0 if the tensor is not a matrix. */
    private static int columns(TensorBucket.Span span) {
        return span.shape()
                .map(shape -> shape.columns().orElse(0))
                .orElseGet(() -> Math.toIntExact((long) Math.ceil(Math.sqrt((double) span.count()))));
    }

    /** Whether two factors of {@code rank} columns have fewer values than the matrix. */
    private static boolean isWorth(TensorBucket.Span span, int rank) {
        int columns = columns(span);
        return columns > 0 && rank * (Math.ceilDiv(span.count(), (long) columns) + columns) < span.count();
    }

    /** The name of a tensor in the memories of compressions. */
    public static String key(CollectiveOptions how, long count) {
        return how.key().orElse("float32[" + count + "]");
    }

    private CallPlan plain(Sum sum) {
        AllReduceStrategy way = sum.way;
        String name = way.name().toLowerCase(Locale.ROOT) + sum.ownership.text();
        boolean mayBeInPlace = switch (way) {
            case AUTO, RING, HIERARCHICAL -> true;
            case DIRECT, TREE, CENTRALIZED -> false;
        };
        if (mayBeInPlace && sum.count * sum.type.bytes() >= options.config().inPlaceBytesMin()) {
            return new CallPlan(Signature.inPlace(sum.op, sum.type, sum.count, name), new SumInPlace(way));
        }
        return new CallPlan(
                Signature.combining(Signature.Kind.ALL_REDUCE, sum.op, sum.type, sum.count, name),
                new PlainSum(way, sum.ownership));
    }

    private CallPlan coded(Sum sum, CompressionStrategy.Coded compression) {
        Codec codec = Codecs.of(compression, reducer.codecKernels());
        boolean passesDense = codec instanceof PassDenseCodec;
        Codec within = PassDenseCodec.within(codec);
        if (!(within instanceof BlockCodec blocks)) {
            return gathered(sum, compression, Encodings.ByCodec.of(compression, codec, feedback(compression)));
        }
        EncodedParts.requireFits(blocks, options.config().segmentBytes());
        if (!EncodedParts.pays(blocks, sum.count)) {
            return plain(sum);
        }
        boolean isRing = sum.way == AllReduceStrategy.RING;
        AllReduceStrategy taken = isRing ? AllReduceStrategy.RING : AllReduceStrategy.DIRECT;
        String name = taken.name().toLowerCase(Locale.ROOT) + sum.ownership.text();
        boolean inPlace = isLarge(sum.count);
        return new CallPlan(
                Signature.encoded(sum.op, sum.count, compression.text(), name, inPlace),
                new QuantisedSum(
                        blocks,
                        feedback(compression),
                        sum.key(),
                        isRing,
                        sum.ownership,
                        passesDense,
                        inPlace,
                        buffers,
                        reducer,
                        threads));
    }

    private Optional<ErrorFeedback> feedback(CompressionStrategy.Coded compression) {
        return compression.keepsResidual() ? Optional.of(memories.of(compression)) : Optional.empty();
    }

    private CallPlan gathered(Sum sum, CompressionStrategy compression, Encodings encodings) {
        boolean inPlace = encodings.isSparse() && isLarge(sum.count);
        return new CallPlan(
                Signature.encoded(sum.op, sum.count, compression.text(), Signature.AUTO, inPlace),
                new GatheredSum(encodings, sum.key(), inPlace, buffers, reducer, threads));
    }

    private CallPlan drawn(Sum sum, CompressionStrategy.RandomK compression) {
        boolean passesDense = compression.onNonFinite() == OnNonFinite.DENSE;
        return new CallPlan(
                Signature.encoded(sum.op, sum.count, compression.text(), Signature.AUTO, true),
                new DrawnSum(memories.of(compression), sum.key(), passesDense, buffers));
    }

    private boolean isLarge(long count) {
        return count * Float.BYTES >= options.config().inPlaceBytesMin();
    }

    private CallPlan lowRank(Sum sum, CompressionStrategy.PowerSgd compression, List<TensorBucket.Span> spans) {
        var matrices = new ArrayList<LowRankSum.Matrix>();
        var plain = new ArrayList<LowRankSum.Plain>();
        var shapes = new StringBuilder();
        String key = sum.key();
        long done = 0;
        for (TensorBucket.Span span : spans) {
            if (isWorth(span, compression.rank())) {
                addPlain(plain, done, span.first());
                String name = spans.size() == 1 ? key : key + "/" + matrices.size();
                matrices.add(new LowRankSum.Matrix(name, span.first(), span.count(), columns(span)));
                shapes.append(' ').append(span.first()).append('+').append(columns(span));
                done = span.first() + span.count();
            }
        }
        if (matrices.isEmpty()) {
            return plain(sum);
        }
        addPlain(plain, done, sum.count);
        String text = compression.text() + " in rows of "
                + (matrices.size() == 1
                        ? matrices.getFirst().columns()
                        : "%08x".formatted(shapes.toString().hashCode()));
        return new CallPlan(
                Signature.encoded(sum.op, sum.count, text, Signature.AUTO, true),
                new LowRankSum(memories.of(compression), matrices, plain, buffers));
    }

    private static void addPlain(List<LowRankSum.Plain> plain, long from, long to) {
        if (to > from) {
            plain.add(new LowRankSum.Plain(from, to - from));
        }
    }
}
