/**
 * Virtual time, and the time spans of the protocols in one world.
 *
 * <p>Uses no other room. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.time;

import org.jspecify.annotations.NullMarked;
