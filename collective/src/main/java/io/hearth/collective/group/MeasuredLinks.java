package io.hearth.collective.group;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a member measured on its links, in the form of its report to a view change: a tag of eight bytes for each node, and five bytes for
 * the measurements. A report must be small. Plans compare round trips in steps of a factor of two, and rates by eighths.
 *
 * <p>Two nodes with the same tag are mixed up, which only makes a plan worse.
 *
 * <pre>
 * wire form, tags rising:   | tag, 8 bytes | step, 1 byte | out, 2 bytes | in, 2 bytes | tag | …      all big-endian
 * step = 1 + 4 e + m        2^e &lt;= nanos &lt; 2^(e+1), m = the two bits after the leading one; 0: no round trip
 * out, in                   megabytes per second as a binary16 number; 0: not measured
 * </pre>
 *
 * @param links by tag, at most {@value #NODES_MAX}
 */
public record MeasuredLinks(SortedMap<Long, Link> links) {
    /** Most nodes in a report. */
    public static final int NODES_MAX = 256;

    /** No measurements. */
    public static final MeasuredLinks NONE = new MeasuredLinks(Collections.emptySortedMap());

    private static final int STEP_MAX = 252;
    private static final int ENTRY_BYTES = Long.BYTES + 1 + 2 * Short.BYTES;
    private static final float BYTES_PER_MEGABYTE = 1e6f;

    /** Largest binary16 number. */
    private static final float MEGABYTES_MAX = 65_504;

    public MeasuredLinks {
        links = Collections.unmodifiableSortedMap(new TreeMap<>(links));
        if (links.size() > NODES_MAX) {
            throw new IllegalArgumentException("need at most " + NODES_MAX + " links, got " + links.size());
        }
    }

    /**
     * The measurements of one link as they travel.
     *
     * @param step of the round trip, 0 to {@value #STEP_MAX}
     * @param out megabytes per second to the other node, binary16, finite and 0 or more
     * @param in megabytes per second from the other node, likewise
     */
    public record Link(int step, short out, short in) {
        public Link {
            if (step < 0 || step > STEP_MAX || !isRate(out) || !isRate(in)) {
                throw new IllegalArgumentException("a measured link needs a step of 0 to " + STEP_MAX
                        + " and rates of 0 or more, got step " + step + ", " + Float.float16ToFloat(out) + " and "
                        + Float.float16ToFloat(in) + " MB/s");
            }
        }

        private static boolean isRate(short value) {
            float rate = Float.float16ToFloat(value);
            return rate >= 0 && rate <= MEGABYTES_MAX; // false for NaN
        }

        private static Link of(LinkReport.Measured measured) {
            return new Link(
                    measured.roundTripNanos() == 0 ? 0 : MeasuredLinks.step(measured.roundTripNanos()),
                    rate(measured.outBytesPerSecond()),
                    rate(measured.inBytesPerSecond()));
        }

        /** A rate that was measured stays above 0. */
        private static short rate(long bytesPerSecond) {
            float megabytes = Math.min(MEGABYTES_MAX, (float) bytesPerSecond / BYTES_PER_MEGABYTE);
            short rounded = Float.floatToFloat16(megabytes);
            return rounded == 0 && bytesPerSecond > 0 ? 1 : rounded;
        }

        /** Round trip in nanoseconds, rounded down to its step; 0 if it was not measured. */
        public long roundTripNanos() {
            if (step == 0) {
                return 0;
            }
            int exponent = (step - 1) >> 2;
            long leading = 4L + ((step - 1) & 3);
            return exponent >= 2 ? leading << (exponent - 2) : leading >> (2 - exponent);
        }

        /** Bytes per second to the other node; 0 if they were not measured. */
        public long outBytesPerSecond() {
            return bytesPerSecond(out);
        }

        /** Bytes per second from the other node; 0 if they were not measured. */
        public long inBytesPerSecond() {
            return bytesPerSecond(in);
        }

        private static long bytesPerSecond(short rate) {
            return rate == 0 ? 0 : Math.max(1, (long) (Float.float16ToFloat(rate) * BYTES_PER_MEGABYTE));
        }
    }

    /** The measurements of a report. Links beyond {@value #NODES_MAX}, and links without any measurement, are dropped. */
    public static MeasuredLinks of(LinkReport report) {
        var links = new TreeMap<Long, Link>();
        report.links().forEach((node, measured) -> {
            var link = Link.of(measured);
            if (links.size() < NODES_MAX && (link.step > 0 || link.out != 0 || link.in != 0)) {
                links.put(tag(node), link);
            }
        });
        return new MeasuredLinks(links);
    }

    /** Short name of a node: the bytes of public keys are as good as random, and the slots of one machine differ. */
    public static long tag(NodeId node) {
        return ByteBuffer.wrap(node.peer().publicKey()).getLong() + node.slot().hashCode();
    }

    /** The measurements of the link to the node with this tag. */
    public Optional<Link> link(long tag) {
        return Optional.ofNullable(links.get(tag));
    }

    private static int step(long nanos) {
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        long mantissa = (exponent >= 2 ? nanos >> (exponent - 2) : nanos << (2 - exponent)) & 3;
        return 1 + 4 * exponent + (int) mantissa;
    }

    /** The wire form. */
    public byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(ENTRY_BYTES * links.size());
        links.forEach((tag, link) ->
                bytes.putLong(tag).put((byte) link.step).putShort(link.out).putShort(link.in));
        return bytes.array();
    }

    /**
     * Reads the wire form.
     *
     * @throws IllegalArgumentException the bytes are no measurements
     */
    public static MeasuredLinks decode(byte[] bytes) {
        if (bytes.length % ENTRY_BYTES != 0 || bytes.length > NODES_MAX * ENTRY_BYTES) {
            throw new IllegalArgumentException("measured links take a multiple of " + ENTRY_BYTES + " bytes, at most "
                    + NODES_MAX * ENTRY_BYTES + ", got " + bytes.length);
        }
        var links = new TreeMap<Long, Link>();
        for (ByteBuffer left = ByteBuffer.wrap(bytes); left.hasRemaining(); ) {
            long tag = left.getLong();
            if (!links.isEmpty() && tag <= links.lastKey()) {
                throw new IllegalArgumentException("tags of measured links must rise, got "
                        + Bytes.of(bytes).hex());
            }
            links.put(tag, new Link(Byte.toUnsignedInt(left.get()), left.getShort(), left.getShort()));
        }
        return new MeasuredLinks(links);
    }
}
