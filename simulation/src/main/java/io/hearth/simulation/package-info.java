/** Whole clusters in virtual time on one thread: the real machines of every node, every fault, all from a seed. */
@NullMarked
package io.hearth.simulation;

import org.jspecify.annotations.NullMarked;
