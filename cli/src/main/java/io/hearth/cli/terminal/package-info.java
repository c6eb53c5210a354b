/** Terminal, tables, exit codes, durations, short ids, mistakes in command lines, signals. It uses no other room. */
@NullMarked
package io.hearth.cli.terminal;

import org.jspecify.annotations.NullMarked;
