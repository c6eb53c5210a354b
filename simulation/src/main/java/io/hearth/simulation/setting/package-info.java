/**
 * What a seed draws before anything happens, and what all parts of its world share: faults, lies, network, trace.
 *
 * <p>Uses {@code report}, {@code time}, {@code rule}, {@code host}, {@code call} and {@code plant}. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.setting;

import org.jspecify.annotations.NullMarked;
