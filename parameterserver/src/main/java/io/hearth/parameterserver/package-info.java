/** A parameter server: what its rooms share. */
@NullMarked
package io.hearth.parameterserver;

import org.jspecify.annotations.NullMarked;
