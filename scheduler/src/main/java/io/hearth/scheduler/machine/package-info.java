/** The machine of the scheduler: who is here, who waits, what is asked and told; pure. */
@NullMarked
package io.hearth.scheduler.machine;

import org.jspecify.annotations.NullMarked;
