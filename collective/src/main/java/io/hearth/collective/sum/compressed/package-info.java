/**
 * Sums through codecs: quantised, gathered, drawn and of low rank, with the residuals that they keep. Uses {@code call}, {@code exchange}
 * with its room {@code watch}, {@code group}, {@code schedule} and the root; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.sum.compressed;

import org.jspecify.annotations.NullMarked;
