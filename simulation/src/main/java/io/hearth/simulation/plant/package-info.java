/**
 * Bugs planted on purpose: the hooks of the simulated shells, and an implementation of them for each bug.
 *
 * <p>Uses {@code rule} and {@code time}. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.plant;

import org.jspecify.annotations.NullMarked;
