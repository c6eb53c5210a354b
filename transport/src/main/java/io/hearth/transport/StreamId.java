package io.hearth.transport;

/**
 * What a data stream is for; part of its keys, so that bytes of another group, epoch or stream do not decrypt.
 *
 * @param group the training job, at most 63 characters
 * @param fence the group epoch in its lineage, as text: lineage and group epoch
 * @param index which of several streams between the same two nodes, from 0
 */
public record StreamId(String group, String fence, int index) {}
