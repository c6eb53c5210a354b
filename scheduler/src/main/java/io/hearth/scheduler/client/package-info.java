/** A client of the scheduler, for programs and command lines. */
@NullMarked
package io.hearth.scheduler.client;

import org.jspecify.annotations.NullMarked;
