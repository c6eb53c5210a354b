/**
 * The members of a namespace: signed grants and removals, the secret's generations, and the file that stores them.
 *
 * <p>Uses {@code io.hearth.identity}, but not its own room {@code machine}. Open to {@code transport}, {@code agent}, {@code simulation}
 * and {@code cli}.
 */
@NullMarked
package io.hearth.identity.roster;

import org.jspecify.annotations.NullMarked;
