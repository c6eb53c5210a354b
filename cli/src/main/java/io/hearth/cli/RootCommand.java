package io.hearth.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code hearth} without a command: help and version only. */
@Command(
        name = "hearth",
        description = "Train a model on the computers of one LAN together.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = VersionCommand.class,
        commandListHeading = "%nCommands:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:ok",
            "1:failed; the message on standard error says why and what to do",
            "2:the command line is wrong",
            "124:timed out",
            "126, 127:the program to run cannot be run, or was not found",
            "130:interrupted"
        })
@SuppressWarnings("UnusedVariable") // picocli handles these options
final class RootCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    private boolean version;
}
