package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.cli.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Compares {@code docs/cli.md} with the help of all commands. {@code ./mvnw -pl cli -am test -Dtest=CliPageTest
 * -Dhearth.docs.write=true -Dsurefire.failIfNoSpecifiedTests=false} writes the page.
 */
final class CliPageTest {
    private static final Path PAGE =
            Path.of(System.getProperty("hearth.root", "..")).resolve("docs/cli.md");

    @Test
    void thePageHasTheHelpOfEachCommand() throws IOException {
        var page = new StringBuilder("""
                # Commands

                This page is the `--help` of each command. Commands that print data have `--json`.
                [operations.md](operations.md) lists exit codes and environment variables.
                """);
        add(page, Main.commandLine(Terminal.system()));
        if (Boolean.getBoolean("hearth.docs.write")) {
            Files.writeString(PAGE, page);
        }
        assertEquals(page.toString(), Files.readString(PAGE));
    }

    private static void add(StringBuilder page, CommandLine command) {
        page.append("\n## ")
                .append(command.getCommandSpec().qualifiedName())
                .append("\n\n```text\n")
                .append(command.getUsageMessage(Ansi.OFF).stripTrailing())
                .append("\n```\n");
        for (CommandLine sub : new LinkedHashSet<>(command.getSubcommands().values())) {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                add(page, sub);
            }
        }
    }
}
