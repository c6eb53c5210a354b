package io.hearth.cli;

import picocli.CommandLine.Command;

/** {@code hearth kernel}: what reduces on this machine. */
@Command(
        name = "kernel",
        description = "Show, time and test the engines that reduce on this machine.",
        synopsisSubcommandLabel = "COMMAND")
final class KernelCommand {}
