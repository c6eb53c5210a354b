/** Reduction kernels: portable Java, Vector API. */
@NullMarked
package io.hearth.accel;

import org.jspecify.annotations.NullMarked;
