/** The machine of a coordinator, and the list of workers and checkpoints that survives it; pure. */
@NullMarked
package io.hearth.coordinator.machine;

import org.jspecify.annotations.NullMarked;
