/**
 * The processes of a world: the shells around the real machines of a node, their starts and ends, their links.
 *
 * <p>Uses {@code trainer}, {@code process} and the rooms that these use. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.cluster;

import org.jspecify.annotations.NullMarked;
