package io.hearth.cli.bench;

import picocli.CommandLine.Command;

/** {@code hearth kernel}: the group of commands for the engines of this machine. */
@Command(
        name = "kernel",
        description = "Show, measure and test the engines that add the numbers on this machine.",
        synopsisSubcommandLabel = "COMMAND")
public final class KernelCommand {}
