package io.hearth.cli;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Spec;

/** {@code hearth man}: prints the manual page of all commands; packages install it as hearth(1). */
@Command(
        name = "man",
        description = {
            "Print the manual page of all commands, as man(7) defines its format.",
            "Read it with: hearth man | man -l - (on macOS: hearth man >hearth.1; man ./hearth.1)."
        })
final class ManCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    ManCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(page(command.root().commandLine()));
        return Exit.OK;
    }

    private static String page(CommandLine all) {
        CommandSpec root = all.getCommandSpec();
        var page = new StringBuilder(".TH HEARTH 1\n");
        page.append(".SH NAME\nhearth \\- ")
                .append(escaped(String.join(" ", root.usageMessage().description())));
        page.append("\n.SH SYNOPSIS\n.B hearth\n.I COMMAND\n[options]\n.SH COMMANDS\n");
        commands(page, all);
        page.append(".SH EXIT STATUS\n");
        for (Map.Entry<String, String> code : root.usageMessage().exitCodeList().entrySet()) {
            entry(page, code.getKey(), code.getValue());
        }
        page.append(".SH FILES\n");
        entry(page, "~/.hearth", "Identity, secrets and state; HEARTH_HOME names another folder.");
        entry(page, "~/.hearth/config.toml", "Settings; hearth config shows them and their environment variables.");
        return page.toString();
    }

    private static void commands(StringBuilder page, CommandLine at) {
        for (CommandLine sub : new LinkedHashSet<>(at.getSubcommands().values())) {
            CommandSpec spec = sub.getCommandSpec();
            if (spec.usageMessage().hidden()) {
                continue;
            }
            String synopsis =
                    sub.getHelp().synopsis(spec.qualifiedName().length() + 1).replaceAll("\\s+", " ");
            page.append(".SS \"").append(escaped(spec.qualifiedName())).append("\"\n");
            page.append(".B ").append(escaped(synopsis.strip())).append("\n.PP\n");
            paragraph(page, spec.usageMessage().description());
            for (OptionSpec option : spec.options()) {
                if (!option.hidden() && !option.usageHelp() && !option.versionHelp()) {
                    entry(
                            page,
                            String.join(", ", option.names())
                                    + label(option.paramLabel(), option.arity().max()),
                            text(option.description()));
                }
            }
            for (PositionalParamSpec parameter : spec.positionalParameters()) {
                if (!parameter.hidden()) {
                    entry(page, parameter.paramLabel(), text(parameter.description()));
                }
            }
            commands(page, sub);
        }
    }

    private static String label(String label, int values) {
        return values == 0 ? "" : " " + label;
    }

    private static void paragraph(StringBuilder page, String... lines) {
        page.append(escaped(text(lines))).append('\n');
    }

    /** The text as help shows it: picocli's own markup and variables are resolved. */
    private static String text(String... lines) {
        return Ansi.OFF
                .text(String.format(Locale.ROOT, String.join(" ", List.of(lines))))
                .toString();
    }

    private static void entry(StringBuilder page, String term, String text) {
        page.append(".TP\n.B ")
                .append(escaped(term))
                .append('\n')
                .append(escaped(text))
                .append('\n');
    }

    /** As groff_man(7) writes backslashes, minus signs, and lines that would begin with a request. */
    private static String escaped(String text) {
        String safe = text.replace("\\", "\\e").replace("-", "\\-");
        return safe.startsWith(".") || safe.startsWith("'") ? "\\&" + safe : safe;
    }
}
