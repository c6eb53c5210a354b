/**
 * One start of a node as its parts see it, and what they use of the world around it.
 *
 * <p>Uses {@code host}, {@code call}, {@code plant} and {@code setting}. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.process;

import org.jspecify.annotations.NullMarked;
