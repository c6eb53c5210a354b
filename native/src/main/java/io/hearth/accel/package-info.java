/** Reduction kernels: portable Java, Vector API, Metal; codec kernels: the first two. */
@NullMarked
package io.hearth.accel;

import org.jspecify.annotations.NullMarked;
