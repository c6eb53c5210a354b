/**
 * The collectives of one process: the real group machine, the shell around it, and the script that calls it.
 *
 * <p>Uses {@code pair}, {@code process} and the rooms that these use. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.trainer;

import org.jspecify.annotations.NullMarked;
