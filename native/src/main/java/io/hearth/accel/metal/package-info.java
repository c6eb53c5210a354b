/**
 * Reduction on the GPU of an Apple computer: Metal by {@code java.lang.foreign}, without native code of our own.
 *
 * <p>Not run on Apple hardware yet: the very same calls and the very same kernel text are run against a stand-in of our own, and
 * each start compares all kernels with the portable engine before the first real call.
 */
@NullMarked
package io.hearth.accel.metal;

import org.jspecify.annotations.NullMarked;
