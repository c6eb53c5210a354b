/**
 * When a node measures the bandwidth of which link, how a measurement is taken, and what collectives show of rates and stragglers. Pure. The
 * room uses the root.
 */
@NullMarked
package io.hearth.topology.bandwidth;

import org.jspecify.annotations.NullMarked;
