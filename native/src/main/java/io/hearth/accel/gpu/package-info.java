/** Reduction and codec kernels on the GPU of an Apple computer, and the proof that its results are right. */
@NullMarked
package io.hearth.accel.gpu;

import org.jspecify.annotations.NullMarked;
