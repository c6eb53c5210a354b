/** One update of a parameter by a gradient, with the optimizers and learning rates; pure. */
@NullMarked
package io.hearth.parameterserver.optimize;

import org.jspecify.annotations.NullMarked;
