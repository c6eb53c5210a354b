package io.hearth.collective;

/**
 * What a completed collective was.
 *
 * @param contributors members whose input is in the result; AVG divided by it
 * @param bytesSent that this rank put on the wire for it, repetitions, heads and tags included
 */
public record CollectiveResult(int contributors, long bytesSent) {}
