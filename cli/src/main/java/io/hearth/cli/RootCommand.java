package io.hearth.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code hearth} without a command: only help and version. */
@Command(
        name = "hearth",
        description = "Makes the computers of one LAN train together.",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = VersionCommand.class,
        commandListHeading = "%nCommands:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:ok",
            "1:failed; the line on standard error says why and what to do",
            "2:the command line is wrong",
            "124:timed out",
            "130:interrupted"
        })
@SuppressWarnings("UnusedVariable") // picocli acts on these options by itself
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
