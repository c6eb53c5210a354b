package io.hearth.replicated.machine;

/**
 * Sizes that keep memory and messages small. The simulator takes smaller ones, so that a short world reaches them.
 *
 * @param logEntries committed entries after which a snapshot replaces them
 * @param logBytes bytes of the log after which it is looked whether a snapshot should replace its committed entries
 * @param messageEntries entries in one message
 * @param messageBytes bytes of the contents in one message, and of one part of a snapshot
 * @param close number of committed entries that a new replica may lack when it begins to count
 * @param foundNanos how long all members have announced that they have no store before one is founded, in nanoseconds
 */
public record Limits(int logEntries, long logBytes, int messageEntries, int messageBytes, int close, long foundNanos) {
    /** For frames of 64 KiB. */
    public static final Limits DEFAULT = new Limits(512, 1L << 20, 128, 40 * 1024, 64, 1_000_000_000L);

    /** For a machine alone, which has nobody to ask. */
    public static final Limits ALONE = new Limits(512, 1L << 20, 128, 40 * 1024, 64, 0);
}
