package io.hearth.election;

import io.hearth.core.Bytes;

/**
 * What a view says of one group besides its members, which are the view's trainers of that group in view order.
 *
 * @param name of the training job
 * @param epoch the group epoch: last epoch whose view changed the group's list
 * @param resolution what the collectives decided about open work at that change, opaque here, at most
 *     {@link Resolver#BYTES_MAX} bytes; carried unchanged until the next change of the list
 */
public record GroupView(String name, long epoch, Bytes resolution) {}
