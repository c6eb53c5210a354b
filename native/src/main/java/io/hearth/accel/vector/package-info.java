/** Reduction and codec kernels of the Vector API. */
@NullMarked
package io.hearth.accel.vector;

import org.jspecify.annotations.NullMarked;
