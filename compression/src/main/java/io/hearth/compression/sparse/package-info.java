/**
 * Codecs that send some of the values: topk, topk in chunks and randomk; the search for the largest values, and sums of sparse encodings. The
 * room uses the root, {@code format} and {@code block}; {@code collective} may use it.
 */
@NullMarked
package io.hearth.compression.sparse;

import org.jspecify.annotations.NullMarked;
