/**
 * Whole clusters in virtual time on one thread: the real machines of every node, every fault, all from a seed.
 *
 * <p>Uses all its rooms but {@code roster}, which is apart. Open to {@code cli}.
 */
@NullMarked
package io.hearth.simulation;

import org.jspecify.annotations.NullMarked;
