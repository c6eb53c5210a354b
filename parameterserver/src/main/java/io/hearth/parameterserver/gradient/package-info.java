/** Reads gradients in their encodings; pure. */
@NullMarked
package io.hearth.parameterserver.gradient;

import org.jspecify.annotations.NullMarked;
