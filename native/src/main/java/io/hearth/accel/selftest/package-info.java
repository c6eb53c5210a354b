/** Self tests: kernels against plain Java, before they are trusted. */
@NullMarked
package io.hearth.accel.selftest;

import org.jspecify.annotations.NullMarked;
