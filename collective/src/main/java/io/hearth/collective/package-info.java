/** The API of collectives: backends and contexts, tensors, options, results, metrics and listeners. */
@NullMarked
package io.hearth.collective;

import org.jspecify.annotations.NullMarked;
