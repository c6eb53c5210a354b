/**
 * Rules that need no view of the whole world: on records and views, and on sends between two ranks; a broken one is a {@code
 * Violation}.
 *
 * <p>Uses no other room. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.rule;

import org.jspecify.annotations.NullMarked;
