/**
 * Codecs whose number of bytes follows from the number of values: none, fp16, bf16, int8 and int4; and the codec that sends plain values when
 * another one cannot carry them. The room uses the root and {@code format}; {@code collective} and {@code bench} may use it.
 */
@NullMarked
package io.hearth.compression.block;

import org.jspecify.annotations.NullMarked;
