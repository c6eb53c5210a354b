/** The same loops in C, for measurements. */
@NullMarked
package io.hearth.accel.comparison;

import org.jspecify.annotations.NullMarked;
