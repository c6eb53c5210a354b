/**
 * Calls of trainers as data: the frames that carry them, the parts that ranks get, and how a call ends.
 *
 * <p>Uses no other room. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.call;

import org.jspecify.annotations.NullMarked;
