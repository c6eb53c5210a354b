/** Moves the bytes of one call in one group epoch: streams to the other ranks, the threads that read them, and checks. */
@NullMarked
package io.hearth.collective.exchange;

import org.jspecify.annotations.NullMarked;
