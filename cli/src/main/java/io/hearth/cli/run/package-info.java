/** {@code hearth run}: gives each machine a rank and starts the same program on all of them. */
@NullMarked
package io.hearth.cli.run;

import org.jspecify.annotations.NullMarked;
