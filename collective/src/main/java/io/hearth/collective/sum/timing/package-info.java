/**
 * Measures the cost of codecs on this machine, compiles their code ahead of time, and exchanges the figures of all ranks. Uses {@code
 * sum.compressed}, {@code call}, {@code choice}, {@code exchange}, {@code group} and the root; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.sum.timing;

import org.jspecify.annotations.NullMarked;
