/**
 * The machines of a world and the nodes on them: what outlives a process, such as a disk and a wall clock.
 *
 * <p>Uses {@code rule}. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.host;

import org.jspecify.annotations.NullMarked;
