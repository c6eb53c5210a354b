package io.hearth.election;

import io.hearth.core.Bytes;

/**
 * One group of a view. Its members are the view's trainers of that group in view order.
 *
 * @param name of the training job
 * @param epoch the group epoch: last epoch whose view changed the group's list
 * @param resolution the collectives' decision about open work at that change, opaque here, at most
 *     {@link Resolver#BYTES_MAX} bytes; carried unchanged until the next change of the list
 */
public record GroupView(String name, long epoch, Bytes resolution) {}
