package io.hearth.collective;

/**
 * Counters of one kind of call since the backend's start.
 *
 * @param completed calls that returned
 * @param failed calls that threw
 * @param seconds time in these calls, completed or not
 * @param sentBytes bytes that this rank sent for them, record headers and cipher tags included; for {@link Operation#SEND} only the values
 */
public record OperationCounts(long completed, long failed, double seconds, long sentBytes) {
    /** Before the first call. */
    public static final OperationCounts NONE = new OperationCounts(0, 0, 0, 0);
}
