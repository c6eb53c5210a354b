/** When a node measures the bandwidth of which link, and how a measurement is taken; pure. */
@NullMarked
package io.hearth.topology.bandwidth;

import org.jspecify.annotations.NullMarked;
