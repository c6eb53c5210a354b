/** Reduction and the kernels of codecs: the interfaces, the names of the engines, and the choice of an engine for each call. */
@NullMarked
package io.hearth.accel;

import org.jspecify.annotations.NullMarked;
