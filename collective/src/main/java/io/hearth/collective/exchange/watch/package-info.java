/**
 * Where the time of an exchange goes, for traces and the flight recorder, and the progress of long transfers. Uses its room {@code machine}
 * and the root; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.exchange.watch;

import org.jspecify.annotations.NullMarked;
