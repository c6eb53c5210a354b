/**
 * The report of one world: kinds of faults, counts, times to recover, and the outcome.
 *
 * <p>Uses no other room. Open to {@code cli}, which prints it.
 */
@NullMarked
package io.hearth.simulation.report;

import org.jspecify.annotations.NullMarked;
