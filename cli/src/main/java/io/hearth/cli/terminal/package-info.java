/** What commands print and how they end: tables, colours, exit codes, durations, signals. */
@NullMarked
package io.hearth.cli.terminal;

import org.jspecify.annotations.NullMarked;
