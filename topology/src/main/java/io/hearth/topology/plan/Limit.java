package io.hearth.topology.plan;

import java.util.Locale;

/**
 * A place through which bytes pass, and the time that they take.
 *
 * @param kind of place
 * @param partition to which the islands belong; 0 for ranks
 * @param from rank or island
 * @param to rank or island; the same as {@code from} if there is only one
 * @param share bytes through this place for each byte of the buffer
 * @param picosPerByte for each byte through this place
 */
record Limit(Kind kind, int partition, int from, int to, double share, double picosPerByte) {
    /** Kinds of places. */
    enum Kind {
        /** From one rank to another. */
        LINK,

        /** All that a rank sends. */
        SENDER,

        /** All that a rank receives. */
        RECEIVER,

        /** All that a rank sends to the ranks that exchange shares. */
        SENDER_AMONG,

        /** All that a rank receives from the ranks that exchange shares. */
        RECEIVER_AMONG,

        /** From one island to another. */
        CUT,

        /** From one island to all others with which it shares its line. */
        LEAVING,

        /** To one island from all others with which it shares its line. */
        ENTERING
    }

    private static final double PICOS_PER_SECOND = 1e12;

    /** Time for each byte of the buffer. */
    double picos() {
        return share * picosPerByte;
    }

    boolean isPlaceOf(Limit other) {
        return kind == other.kind && partition == other.partition && from == other.from && to == other.to;
    }

    /** The statement for a person, with the lowest rank of an island or machine. */
    String text(Network network) {
        String a = "rank " + name(network, from);
        String b = "rank " + name(network, to);
        String what = String.format(Locale.ROOT, "%.2f x the buffer at %s", share, rate(picosPerByte));
        return switch (kind) {
            case LINK -> a + " sends " + b + " " + what;
            case SENDER, SENDER_AMONG -> a + " sends " + what;
            case RECEIVER, RECEIVER_AMONG -> a + " receives " + what;
            case CUT -> "the island of " + a + " sends that of " + b + " " + what;
            case LEAVING -> place(network) + a + " sends " + what;
            case ENTERING -> place(network) + a + " receives " + what;
        };
    }

    /** The same for a ring, whose hops all carry the same bytes. */
    String hopText(Network network) {
        String a = "rank " + name(network, from);
        String hops = Math.round(share) + " hops share " + rate(picosPerByte);
        return switch (kind) {
            case LINK -> a + " sends to rank " + name(network, to) + " at " + rate(picosPerByte) + ", the slowest hop";
            case SENDER, SENDER_AMONG -> a + " sends at " + rate(picosPerByte);
            case RECEIVER, RECEIVER_AMONG -> a + " receives at " + rate(picosPerByte);
            case CUT -> hops + " from the island of " + a + " to that of rank " + name(network, to);
            case LEAVING -> hops + " from " + place(network) + a;
            case ENTERING -> hops + " to " + place(network) + a;
        };
    }

    private String place(Network network) {
        return network.partitions().get(partition).areMachines() ? "the machine of " : "the island of ";
    }

    private int name(Network network, int number) {
        return switch (kind) {
            case LINK, SENDER, RECEIVER, SENDER_AMONG, RECEIVER_AMONG -> number;
            case CUT, LEAVING, ENTERING -> network.partitions().get(partition).first(number);
        };
    }

    /** A rate for a person. */
    static String rate(double picosPerByte) {
        double bytes = PICOS_PER_SECOND / picosPerByte;
        if (bytes >= 1e9) {
            return String.format(Locale.ROOT, "%.1f GB/s", bytes / 1e9);
        }
        return bytes >= 1e6
                ? String.format(Locale.ROOT, "%.1f MB/s", bytes / 1e6)
                : String.format(Locale.ROOT, "%.1f kB/s", bytes / 1e3);
    }
}
