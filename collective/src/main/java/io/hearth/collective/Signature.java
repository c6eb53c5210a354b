package io.hearth.collective;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.util.Locale;
import java.util.Optional;

/**
 * What a rank asks for under one number; all ranks must ask for the same.
 *
 * @param kind which collective
 * @param op how contributions combine; SUM where nothing is combined
 * @param type of the elements
 * @param count elements in the buffer, 0 or more
 * @param codec name of the compression, {@code none} without; at most 63 characters
 * @param root whose bytes a broadcast spreads; a node and not a rank, because ranks change when a member is lost
 */
public record Signature(Kind kind, ReduceOp op, DataType type, long count, String codec, Optional<NodeId> root) {
    /** Name of the codec that sends elements as they are. */
    public static final String PLAIN = "none";

    /** The collectives. */
    public enum Kind {
        ALL_REDUCE,
        BROADCAST,
        /** The beginning of a step; its result is what all agreed on as the state to begin with. */
        BOUNDARY
    }

    public Signature {
        if (count < 0 || count > Long.MAX_VALUE / type.bytes() || codec.isEmpty() || codec.length() > 63) {
            throw new IllegalArgumentException("no collective has " + count + " elements and codec '" + codec + "'");
        }
        if ((kind == Kind.BROADCAST) != root.isPresent()) {
            throw new IllegalArgumentException("a broadcast has a root and nothing else has one, got " + kind);
        }
    }

    /** An all-reduce. */
    public static Signature allReduce(ReduceOp op, DataType type, long count, String codec) {
        return new Signature(Kind.ALL_REDUCE, op, type, count, codec, Optional.empty());
    }

    /** A broadcast of bytes that are not touched. */
    public static Signature broadcast(DataType type, long count, NodeId root) {
        return new Signature(Kind.BROADCAST, ReduceOp.SUM, type, count, PLAIN, Optional.of(root));
    }

    /** The beginning of a step, with a result of {@code bytes}. */
    public static Signature boundary(long bytes) {
        return new Signature(Kind.BOUNDARY, ReduceOp.SUM, DataType.UINT8, bytes, PLAIN, Optional.empty());
    }

    /** Size of the buffer. */
    public long bytes() {
        return count * type.bytes();
    }

    /** Whether elements cross the wire encoded. */
    public boolean isEncoded() {
        return !codec.equals(PLAIN);
    }

    /** For people: one phrase. */
    public String text() {
        String elements = count + " " + type.name().toLowerCase(Locale.ROOT);
        return switch (kind) {
            case ALL_REDUCE -> "all-reduce " + op + " of " + elements + (isEncoded() ? " as " + codec : "");
            case BROADCAST ->
                "broadcast of " + elements + " from "
                        + root.map(NodeId::shortText).orElse("?");
            case BOUNDARY -> "the beginning of a step";
        };
    }
}
