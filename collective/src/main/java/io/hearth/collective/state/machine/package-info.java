/** Decides which chunks of a state are fetched from whom, as a pure machine. Uses no other room; {@code simulation} uses it. */
@NullMarked
package io.hearth.collective.state.machine;

import org.jspecify.annotations.NullMarked;
