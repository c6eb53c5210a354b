/**
 * Replicated state in virtual time: replicas that crash, links that break, views that disagree, disks that fail, stores that meet. Uses
 * {@code time} and {@code rule}.
 */
@NullMarked
package io.hearth.simulation.replicated;

import org.jspecify.annotations.NullMarked;
