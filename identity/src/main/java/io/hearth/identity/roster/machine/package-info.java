/**
 * What decides between two machines of a namespace which entries and secrets go over a link. Pure.
 *
 * <p>Uses {@code io.hearth.identity.roster}. Open to {@code agent} and {@code simulation}.
 */
@NullMarked
package io.hearth.identity.roster.machine;

import org.jspecify.annotations.NullMarked;
