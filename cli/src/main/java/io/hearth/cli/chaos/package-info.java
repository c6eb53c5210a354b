/** {@code hearth chaos}: real processes that are killed, paused and unplugged while they train. */
@NullMarked
package io.hearth.cli.chaos;

import org.jspecify.annotations.NullMarked;
