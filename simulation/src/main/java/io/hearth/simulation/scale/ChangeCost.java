package io.hearth.simulation.scale;

/**
 * The cost of a view change.
 *
 * @param nanos from its cause until all have the view; with a loss, the span of silence included
 * @param messages of the node that sent most, without heartbeats
 * @param bytes of the node that sent most, without heartbeats
 * @param messagesOfAll of all nodes together
 * @param bytesOfAll of all nodes together
 * @param writtenBytes to the disk of the node that wrote most
 */
public record ChangeCost(
        long nanos, long messages, long bytes, long messagesOfAll, long bytesOfAll, long writtenBytes) {}
