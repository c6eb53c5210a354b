/** Output and end of commands: tables, colours, exit codes, durations, signals. */
@NullMarked
package io.hearth.cli.terminal;

import org.jspecify.annotations.NullMarked;
