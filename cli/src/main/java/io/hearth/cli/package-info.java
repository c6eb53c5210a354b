/** Main and all commands. */
@NullMarked
package io.hearth.cli;

import org.jspecify.annotations.NullMarked;
