/** Other processes of this program, and the folders that they run in. */
@NullMarked
package io.hearth.cli.process;

import org.jspecify.annotations.NullMarked;
