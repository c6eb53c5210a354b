/** {@code main} and all commands but {@code hearth chaos}. */
@NullMarked
package io.hearth.cli;

import org.jspecify.annotations.NullMarked;
