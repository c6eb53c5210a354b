/** Files that survive a machine. */
@NullMarked
package io.hearth.parameterserver.checkpoint;

import org.jspecify.annotations.NullMarked;
