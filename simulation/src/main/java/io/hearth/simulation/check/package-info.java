/**
 * Rules that need a view of the whole cluster: on results, removals, lineages that end, and recovery once the faults stop.
 *
 * <p>Uses {@code fault}, {@code lie}, {@code cluster} and the rooms that these use. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.check;

import org.jspecify.annotations.NullMarked;
