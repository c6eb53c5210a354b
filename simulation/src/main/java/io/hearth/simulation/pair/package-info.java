/**
 * Sends from rank to rank between two trainers, with the real machines.
 *
 * <p>Uses {@code process} and the rooms that it uses. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.pair;

import org.jspecify.annotations.NullMarked;
