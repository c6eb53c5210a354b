/**
 * Moves the bytes of one call in one group epoch: streams to the other ranks, the threads that read them, and checks. Uses its room {@code
 * watch}, {@code group}, {@code schedule} and the root; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.exchange;

import org.jspecify.annotations.NullMarked;
