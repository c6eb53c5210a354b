/** Terminal, tables, exit codes, durations, engines as arguments, mistakes in command lines, signals. */
@NullMarked
package io.hearth.cli.terminal;

import org.jspecify.annotations.NullMarked;
