/**
 * Asynchronous calls in their order, lists of tensors that travel together, and the names of tensors without one. Uses {@code sum}, {@code
 * exchange} and the root; for the engine only.
 */
@NullMarked
package io.hearth.collective.engine.queue;

import org.jspecify.annotations.NullMarked;
