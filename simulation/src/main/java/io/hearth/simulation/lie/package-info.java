/**
 * Nodes that lie: a stranger that has the secret, and a member whose messages are changed.
 *
 * <p>Uses {@code cluster} and the rooms that it uses. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.lie;

import org.jspecify.annotations.NullMarked;
