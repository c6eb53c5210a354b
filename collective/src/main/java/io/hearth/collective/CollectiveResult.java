package io.hearth.collective;

/**
 * Result of a completed collective.
 *
 * @param contributors members whose input is in the result; AVG divided by it
 * @param bytesSent bytes that this rank sent for it; repetitions, record headers and cipher tags included
 * @param first element of the buffer with which this rank's part of the result begins
 * @param count elements of that part; 0 if this rank gets nothing
 */
public record CollectiveResult(int contributors, long bytesSent, long first, long count) {}
