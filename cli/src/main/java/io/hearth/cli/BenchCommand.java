package io.hearth.cli;

import picocli.CommandLine.Command;

/** {@code hearth bench}: measurements. */
@Command(
        name = "bench",
        description = "Measure what this machine and its links can do.",
        synopsisSubcommandLabel = "COMMAND")
final class BenchCommand {}
