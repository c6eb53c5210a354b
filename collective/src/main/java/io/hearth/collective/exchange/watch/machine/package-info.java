/** Decides when progress is reported, as a pure machine. Uses the root; for the rooms of collective only. */
@NullMarked
package io.hearth.collective.exchange.watch.machine;

import org.jspecify.annotations.NullMarked;
