/**
 * Decides which entries and secrets two machines of a namespace exchange over a link. Pure.
 *
 * <p>Uses {@code io.hearth.identity.roster}. Open to {@code agent} and {@code simulation}.
 */
@NullMarked
package io.hearth.identity.roster.machine;

import org.jspecify.annotations.NullMarked;
