package io.hearth.transport;

/**
 * What arrived on a stream so far. From two such records follows how fast the network delivered in between.
 *
 * <p>A sender writes each record at once. So once the receiver has emptied its socket in the middle of a large record, only the network (or
 * a processor without time for it) limits how fast the rest arrives. Such bytes and the time until they were there are counted apart.
 *
 * @param bytes of all records, headers and tags included
 * @param wireBytes bytes of large records that arrived after this end had emptied its socket in the middle of the record
 * @param wireNanos time in which they arrived
 * @param silentNanos time in which this end waited for the first byte of the record after a large one: the sender had nothing to send
 */
public record Arrivals(long bytes, long wireBytes, long wireNanos, long silentNanos) {
    /** Before the first record, and of a stream that counts nothing. */
    public static final Arrivals NONE = new Arrivals(0, 0, 0, 0);

    public Arrivals {
        if (bytes < 0 || wireBytes < 0 || wireNanos < 0 || silentNanos < 0) {
            throw new IllegalArgumentException("counters must be 0 or more, got " + bytes + ", " + wireBytes + ", "
                    + wireNanos + " and " + silentNanos);
        }
    }
}
