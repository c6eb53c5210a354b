package io.hearth.collective;

import io.hearth.compression.CompressionStrategy;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.util.Locale;
import java.util.Optional;

/**
 * Description of one call; all ranks must use the same under one number.
 *
 * @param kind which collective
 * @param op how contributions combine; SUM if nothing is combined
 * @param type of the elements
 * @param count elements in the buffer, 0 or more; at most {@link Tensor#BYTES_MAX} bytes of them
 * @param codec name of the compression, {@code none} without; at most {@link CompressionStrategy#TEXT_MAX} characters
 * @param root source of the bytes, or receiver of the result; a node and not a rank, because ranks change when a member is lost
 * @param strategy requested algorithm, {@code auto} without; at most {@link CompressionStrategy#TEXT_MAX} characters
 * @param inPlace for an all-reduce only: the result is computed in the application's buffer, and no rank keeps a copy; so the number ends
 *     only when all ranks have confirmed the result
 * @param list the list of tensors of which this call carries a bucket; empty for a call without a list
 */
public record Signature(
        Kind kind,
        ReduceOp op,
        DataType type,
        long count,
        String codec,
        Optional<NodeId> root,
        String strategy,
        boolean inPlace,
        Optional<TensorList> list) {
    /** Name of the codec that sends elements unchanged. */
    public static final String PLAIN = "none";

    /** Name of the strategy that chooses the algorithm by size and world. */
    public static final String AUTO = "auto";

    /** The collectives. */
    public enum Kind {
        ALL_REDUCE(false, true),
        BROADCAST(true, false),
        /** Chooses the codec for sums of one size; its result is a {@link io.hearth.collective.choice.CodecDecision}. */
        CHOICE(false, true),
        /** The beginning of a step; its result is the state on which all ranks agreed. */
        BOUNDARY(false, true),
        /** {@code count} elements at each rank; each rank gets its share of the sum. */
        REDUCE_SCATTER(false, false),
        /** All ranks get {@code count} elements of each rank. */
        ALL_GATHER(false, true),
        REDUCE(true, false),
        /** The root gets {@code count} elements of each rank. */
        GATHER(true, false),
        /** Each rank gets {@code count} elements of the root. */
        SCATTER(true, false),
        /** No data: ends once all ranks have called it. */
        BARRIER(false, true),
        /** A barrier that is a group's first number. */
        START(false, true),
        /** No result: all ranks take over the plan of the group's lead, if it proposes one. */
        PLAN(false, true),
        /** Each rank gets {@code count} elements of each rank. */
        ALL_TO_ALL(false, false);

        private final boolean hasRoot;
        private final boolean isKept;

        Kind(boolean hasRoot, boolean isKept) {
            this.hasRoot = hasRoot;
            this.isKept = isKept;
        }

        /** Whether one rank has a role of its own. */
        public boolean hasRoot() {
            return hasRoot;
        }

        /**
         * Whether all ranks get the same bytes, and a rank that has them keeps them, to forward them to a rank that lacks them. Otherwise a
         * number ends only when all ranks have confirmed that they hold their part, and there is nothing to forward.
         */
        public boolean isKept() {
            return isKept;
        }
    }

    public Signature {
        if (count < 0 || count > Tensor.BYTES_MAX / type.bytes() || !isName(codec) || !isName(strategy)) {
            throw new IllegalArgumentException(
                    "no collective has " + count + " elements, codec '" + codec + "' and strategy '" + strategy + "'");
        }
        if (kind.hasRoot() != root.isPresent()) {
            throw new IllegalArgumentException(
                    kind + (kind.hasRoot() ? " has a root, and none is given" : " has no root, and one is given"));
        }
        if (inPlace && kind != Kind.ALL_REDUCE) {
            throw new IllegalArgumentException("only an all-reduce is done in place, no " + kind);
        }
    }

    private static boolean isName(String text) {
        return !text.isEmpty() && text.length() <= CompressionStrategy.TEXT_MAX;
    }

    /** An all-reduce. */
    public static Signature allReduce(ReduceOp op, DataType type, long count, String codec) {
        return new Signature(Kind.ALL_REDUCE, op, type, count, codec, Optional.empty(), AUTO, false, Optional.empty());
    }

    /** An all-reduce of encoded float32 values; {@code strategy} and {@code inPlace} as in the record. */
    public static Signature encoded(ReduceOp op, long count, String codec, String strategy, boolean inPlace) {
        return new Signature(
                Kind.ALL_REDUCE,
                op,
                DataType.FLOAT32,
                count,
                codec,
                Optional.empty(),
                strategy,
                inPlace,
                Optional.empty());
    }

    /** A collective that combines contributions and has no root. */
    public static Signature combining(Kind kind, ReduceOp op, DataType type, long count, String strategy) {
        return new Signature(kind, op, type, count, PLAIN, Optional.empty(), strategy, false, Optional.empty());
    }

    /** An all-reduce whose result no rank keeps. */
    public static Signature inPlace(ReduceOp op, DataType type, long count, String strategy) {
        return new Signature(
                Kind.ALL_REDUCE, op, type, count, PLAIN, Optional.empty(), strategy, true, Optional.empty());
    }

    /** A collective that has a root. */
    public static Signature rooted(Kind kind, ReduceOp op, DataType type, long count, NodeId root, String strategy) {
        return new Signature(kind, op, type, count, PLAIN, Optional.of(root), strategy, false, Optional.empty());
    }

    /** A broadcast of unchanged bytes. */
    public static Signature broadcast(DataType type, long count, NodeId root) {
        return rooted(Kind.BROADCAST, ReduceOp.SUM, type, count, root, AUTO);
    }

    /** The beginning of a step, with a result of {@code bytes}. */
    public static Signature boundary(long bytes) {
        return combining(Kind.BOUNDARY, ReduceOp.SUM, DataType.UINT8, bytes, AUTO);
    }

    /** The choice of a codec for tensors of {@code values} values, with a result of {@code bytes}. */
    public static Signature choice(CompressionStrategy.Auto compression, long values, long bytes) {
        return new Signature(
                Kind.CHOICE,
                ReduceOp.SUM,
                DataType.UINT8,
                bytes,
                compression.text(),
                Optional.empty(),
                Long.toString(values),
                false,
                Optional.empty());
    }

    /** A barrier. */
    public static Signature barrier() {
        return combining(Kind.BARRIER, ReduceOp.SUM, DataType.UINT8, 0, AUTO);
    }

    /** The start of a group. */
    public static Signature start() {
        return combining(Kind.START, ReduceOp.SUM, DataType.UINT8, 0, AUTO);
    }

    /** The agreement on a plan. */
    public static Signature plan() {
        return combining(Kind.PLAN, ReduceOp.SUM, DataType.UINT8, 0, AUTO);
    }

    /** Whether members may enter while this call waits to run. */
    public boolean admits() {
        return kind == Kind.BOUNDARY || kind == Kind.START;
    }

    /** The same for a bucket of a list. */
    public Signature of(Optional<TensorList> tensors) {
        return new Signature(kind, op, type, count, codec, root, strategy, inPlace, tensors);
    }

    /** Size of {@code count} elements. */
    public long bytes() {
        return count * type.bytes();
    }

    /** Bytes that a rank with the result can forward to one that lacks it. */
    public long keptBytes(int contributors) {
        return !kind.isKept() || inPlace ? 0 : kind == Kind.ALL_GATHER ? bytes() * contributors : bytes();
    }

    /** Whether elements are sent encoded. */
    public boolean isEncoded() {
        return !codec.equals(PLAIN);
    }

    /** One phrase for messages. */
    public String text() {
        String elements = count + " " + type.name().toLowerCase(Locale.ROOT);
        String of = elements
                + (isEncoded() ? " as " + codec : "")
                + (strategy.equals(AUTO) ? "" : " by " + strategy)
                + (inPlace ? " in place" : "")
                + list.map(tensors -> ", " + tensors.text()).orElse("");
        String node = root.map(NodeId::shortText).orElse("?");
        return switch (kind) {
            case ALL_REDUCE -> "all-reduce " + op + " of " + of;
            case BROADCAST -> "broadcast of " + of + " from " + node;
            case CHOICE ->
                "the choice of a codec for " + strategy + " values as " + codec
                        + list.map(tensors -> ", " + tensors.text()).orElse("");
            case BOUNDARY -> "the beginning of a step";
            case BARRIER -> "a barrier";
            case START -> "the start of the group";
            case PLAN -> "the agreement on a plan";
            case REDUCE_SCATTER -> "reduce-scatter " + op + " of " + of;
            case ALL_GATHER -> "all-gather of " + of;
            case REDUCE -> "reduce " + op + " of " + of + " to " + node;
            case GATHER -> "gather of " + of + " to " + node;
            case SCATTER -> "scatter of " + of + " from " + node;
            case ALL_TO_ALL -> "all-to-all of " + of;
        };
    }
}
