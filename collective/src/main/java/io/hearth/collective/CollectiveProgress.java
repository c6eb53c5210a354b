package io.hearth.collective;

import java.util.Locale;

/**
 * Is told how far transfers are that take longer than a second: twice a second at most, and once more when they end.
 *
 * <p>Called by the thread that moves the bytes, inside the collective: return soon. A collective called from here gets an
 * {@link IllegalStateException}; what is thrown is logged and forgotten.
 */
@FunctionalInterface
public interface CollectiveProgress {
    /** Wants to know nothing. */
    CollectiveProgress NONE = _ -> {};

    /** A transfer goes on, or has ended. */
    void at(Report now);

    /** What is on its way. */
    enum What {
        /** The group's shared state, to this rank. */
        STATE("state", "from"),
        /** A broadcast, to this rank. */
        BROADCAST("broadcast", "from"),
        /** A broadcast, from this rank, to those to which it sends itself. */
        BROADCAST_FROM_HERE("broadcast", "to");

        private final String name;
        private final String direction;

        What(String name, String direction) {
            this.name = name;
            this.direction = direction;
        }
    }

    /**
     * How far it is.
     *
     * @param bytes that travelled so far, 0 to {@code bytesInAll}
     * @param bytesInAll 0 while it is not known
     * @param peers at the other end
     * @param tookNanos since the beginning
     * @param ended nothing more will be told of it, whether it is complete or not
     */
    record Report(What what, long bytes, long bytesInAll, int peers, long tookNanos, boolean ended) {
        private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

        /** For people: one line, such as {@code state: 120 of 512 MiB from 2 peers, 96 MB/s}. */
        public String text() {
            int unit = 0;
            double size = 1;
            while (bytesInAll / size >= 10 * 1024 && unit < UNITS.length - 1) {
                size *= 1024;
                unit++;
            }
            double megabytes = bytes * 1e3 / Math.max(1, tookNanos);
            return String.format(
                    Locale.ROOT,
                    "%s: %.0f of %.0f %s %s %d %s, %s MB/s",
                    what.name,
                    bytes / size,
                    bytesInAll / size,
                    UNITS[unit],
                    what.direction,
                    peers,
                    peers == 1 ? "peer" : "peers",
                    String.format(Locale.ROOT, megabytes < 10 ? "%.1f" : "%.0f", megabytes));
        }
    }
}
