/** Self-tests, which compare kernels with plain Java before a node uses them. */
@NullMarked
package io.hearth.accel.selftest;

import org.jspecify.annotations.NullMarked;
