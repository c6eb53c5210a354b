/**
 * Who belongs to a namespace: signed grants and removals, the secret's generations, and the file that keeps them.
 *
 * <p>Uses {@code io.hearth.identity} and its own room {@code machine} does not appear here. Open to {@code transport}, {@code agent},
 * {@code simulation} and {@code cli}.
 */
@NullMarked
package io.hearth.identity.roster;

import org.jspecify.annotations.NullMarked;
