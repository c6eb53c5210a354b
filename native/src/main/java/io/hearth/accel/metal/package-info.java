/**
 * Reduction on the GPU of an Apple computer: Metal by {@code java.lang.foreign}, without native code of the project.
 *
 * <p>It has not run on Apple hardware yet. Tests run the same calls and the same text of the kernels on a stand-in, and each start
 * compares all kernels with the portable engine before the first real call.
 */
@NullMarked
package io.hearth.accel.metal;

import org.jspecify.annotations.NullMarked;
