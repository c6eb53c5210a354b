/** Benchmarks: all-reduce, codecs, convergence with compression, kernels, links and streams. */
@NullMarked
package io.hearth.bench;

import org.jspecify.annotations.NullMarked;
