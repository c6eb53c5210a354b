package io.hearth.cli;

import picocli.CommandLine.Command;

/** {@code hearth bench}: the group of commands that measure. */
@Command(name = "bench", description = "Measure this machine and its links.", synopsisSubcommandLabel = "COMMAND")
final class BenchCommand {}
