package io.hearth.parameterserver.checkpoint;

/**
 * The state of a part in a file.
 *
 * @param term in which it was written, above 0
 * @param index number of the part's updates that it has
 */
@SuppressWarnings("ArrayRecordComponent") // large, and never compared
public record Checkpoint(long term, long index, byte[] content) {}
