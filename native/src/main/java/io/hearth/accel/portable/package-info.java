/** Reduction and codec kernels in plain Java, which run everywhere. */
@NullMarked
package io.hearth.accel.portable;

import org.jspecify.annotations.NullMarked;
