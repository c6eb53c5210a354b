/** Which part of a server has which parameter, and how large parameters are split; pure. */
@NullMarked
package io.hearth.parameterserver.placement;

import org.jspecify.annotations.NullMarked;
