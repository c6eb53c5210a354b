package io.hearth.collective.group;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Round-trip times from one member to others, in the form of its report: a tag of eight bytes for each node, and one byte for its time, in
 * steps of at most a quarter. A report must be small, and plans only compare steps of a factor of two.
 *
 * <p>Two nodes with the same tag are mixed up, which only makes a plan worse.
 *
 * <pre>
 * wire form, tags rising:   | tag, 8 bytes, big-endian | step, 1 byte | tag | step | …
 * step = 1 + 4 e + m        2^e &lt;= nanos &lt; 2^(e+1), m = the two bits after the leading one
 * </pre>
 *
 * @param steps by tag, at most {@value #NODES_MAX}
 */
public record RoundTrips(SortedMap<Long, Integer> steps) {
    /** Most nodes in a report. */
    public static final int NODES_MAX = 256;

    /** No measurements. */
    public static final RoundTrips NONE = new RoundTrips(Collections.emptySortedMap());

    private static final int STEP_MAX = 252;
    private static final int ENTRY_BYTES = Long.BYTES + 1;

    public RoundTrips {
        steps = Collections.unmodifiableSortedMap(new TreeMap<>(steps));
        if (steps.size() > NODES_MAX || steps.values().stream().anyMatch(step -> step < 1 || step > STEP_MAX)) {
            throw new IllegalArgumentException(
                    "need at most " + NODES_MAX + " steps of 1 to " + STEP_MAX + ", got " + steps);
        }
    }

    /** Round trips of measured times in nanoseconds; times below 1 are no measurements. Entries beyond {@value #NODES_MAX} are dropped. */
    public static RoundTrips of(Map<NodeId, Long> nanos) {
        var steps = new TreeMap<Long, Integer>();
        new TreeMap<>(nanos).forEach((node, time) -> {
            if (time > 0 && steps.size() < NODES_MAX) {
                steps.put(tag(node), step(time));
            }
        });
        return new RoundTrips(steps);
    }

    /** Short name of a node: the bytes of public keys are as good as random, and the slots of one machine differ. */
    public static long tag(NodeId node) {
        return ByteBuffer.wrap(node.peer().publicKey()).getLong() + node.slot().hashCode();
    }

    /** The time to the node with this tag in nanoseconds, rounded down to its step. */
    public OptionalLong nanos(long tag) {
        Integer step = steps.get(tag);
        if (step == null) {
            return OptionalLong.empty();
        }
        int exponent = (step - 1) >> 2;
        long leading = 4L + ((step - 1) & 3);
        return OptionalLong.of(exponent >= 2 ? leading << (exponent - 2) : leading >> (2 - exponent));
    }

    private static int step(long nanos) {
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        long mantissa = (exponent >= 2 ? nanos >> (exponent - 2) : nanos << (2 - exponent)) & 3;
        return 1 + 4 * exponent + (int) mantissa;
    }

    /** The wire form. */
    public byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(ENTRY_BYTES * steps.size());
        steps.forEach((tag, step) -> bytes.putLong(tag).put(step.byteValue()));
        return bytes.array();
    }

    /**
     * Reads the wire form.
     *
     * @throws IllegalArgumentException the bytes are no round trips
     */
    public static RoundTrips decode(byte[] bytes) {
        if (bytes.length % ENTRY_BYTES != 0 || bytes.length > NODES_MAX * ENTRY_BYTES) {
            throw new IllegalArgumentException("round trips take a multiple of " + ENTRY_BYTES + " bytes, at most "
                    + NODES_MAX * ENTRY_BYTES + ", got " + bytes.length);
        }
        var steps = new TreeMap<Long, Integer>();
        for (ByteBuffer left = ByteBuffer.wrap(bytes); left.hasRemaining(); ) {
            long tag = left.getLong();
            if (!steps.isEmpty() && tag <= steps.lastKey()) {
                throw new IllegalArgumentException(
                        "tags of round trips must rise, got " + Bytes.of(bytes).hex());
            }
            steps.put(tag, Byte.toUnsignedInt(left.get()));
        }
        return new RoundTrips(steps);
    }
}
