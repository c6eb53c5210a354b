package io.hearth.cli.bench;

import picocli.CommandLine.Command;

/** {@code hearth bench}: the group of commands that measure. */
@Command(name = "bench", description = "Measure this machine and its links.", synopsisSubcommandLabel = "COMMAND")
public final class BenchCommand {}
