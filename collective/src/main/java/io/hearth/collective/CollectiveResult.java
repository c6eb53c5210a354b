package io.hearth.collective;

/**
 * What a completed collective was.
 *
 * @param contributors members whose input is in the result; AVG divided by it
 * @param bytesSent that this rank put on the wire for it, repetitions, heads and tags included
 * @param first element of the buffer with which this rank's part of the result begins
 * @param count elements of that part; 0 where this rank gets nothing
 */
public record CollectiveResult(int contributors, long bytesSent, long first, long count) {}
