package io.hearth.scheduler;

/**
 * A part of a data set, and who has to complete it.
 *
 * @param index from 0
 * @param start the first byte
 * @param end the first byte behind it; equal to {@code start} in a shard of 0 bytes
 * @param owner a node; empty if none is here
 * @param term rises whenever the shard is given to another node, and in each epoch; a completion names it
 */
public record Shard(String id, int index, String path, long start, long end, String owner, long term) {}
