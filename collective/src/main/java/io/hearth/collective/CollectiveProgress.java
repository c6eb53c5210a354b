package io.hearth.collective;

import java.util.Locale;

/**
 * Receives the progress of transfers that take longer than a second: at most twice a second, and once more at the end.
 *
 * <p>The thread that moves the bytes calls it, inside the collective, so it must return soon. A collective called from here gets an {@link
 * IllegalStateException}. Exceptions thrown here are logged and dropped.
 */
@FunctionalInterface
public interface CollectiveProgress {
    /** Ignores all reports. */
    CollectiveProgress NONE = _ -> {};

    /** Receives one report of a transfer. */
    void at(Report now);

    /** The data in transfer. */
    enum What {
        /** The group's shared state, to this rank. */
        STATE("state", "from"),
        /** A broadcast, to this rank. */
        BROADCAST("broadcast", "from"),
        /** A broadcast, from this rank, to the ranks to which it sends directly. */
        BROADCAST_FROM_HERE("broadcast", "to");

        private final String name;
        private final String direction;

        What(String name, String direction) {
            this.name = name;
            this.direction = direction;
        }
    }

    /**
     * Progress of one transfer.
     *
     * @param bytes transferred so far, 0 to {@code bytesInAll}
     * @param bytesInAll bytes of the whole transfer; 0 while unknown
     * @param peers number of ranks at the other end
     * @param tookNanos since the beginning
     * @param ended whether this is the last report of the transfer, complete or not
     */
    record Report(What what, long bytes, long bytesInAll, int peers, long tookNanos, boolean ended) {
        private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

        /** One line for messages, such as {@code state: 120 of 512 MiB from 2 peers, 96 MB/s}. */
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
