package io.hearth.cli;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hearth completion}: prints the script by which a shell completes commands and options. */
@Command(
        name = "completion",
        description = {
            "Print a script that completes commands and options in your shell.",
            "bash and zsh: source <(hearth completion bash). fish: hearth completion fish | source."
        })
final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    @SuppressWarnings("NullAway.Init")
    private Shell shell;

    /** Shells with completion; names as a person types them. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        CommandLine all = command.root().commandLine();
        terminal.out().print(shell == Shell.fish ? fish(all) : AutoComplete.bash("hearth", all));
        return Exit.OK;
    }

    /** A line for each command and option: fish shows the descriptions. */
    private static String fish(CommandLine all) {
        var lines = new ArrayList<>(List.of("complete -c hearth -f"));
        fish(all, List.of(), lines);
        return String.join("\n", lines) + "\n";
    }

    private static void fish(CommandLine at, List<String> words, List<String> lines) {
        var subs = new LinkedHashSet<>(at.getSubcommands().values());
        subs.removeIf(sub -> sub.getCommandSpec().usageMessage().hidden());
        String names =
                String.join(" ", subs.stream().map(CommandLine::getCommandName).toList());
        String here = condition(words) + (subs.isEmpty() ? "" : "; and not __fish_seen_subcommand_from " + names);
        for (CommandLine sub : subs) {
            lines.add("complete -c hearth -n " + quoted(here) + " -a " + sub.getCommandName() + " -d "
                    + quoted(first(sub.getCommandSpec().usageMessage().description())));
            var inside = new ArrayList<>(words);
            inside.add(sub.getCommandName());
            fish(sub, inside, lines);
        }
        for (OptionSpec option : at.getCommandSpec().options()) {
            if (!option.hidden()) {
                lines.add("complete -c hearth -n " + quoted(here) + names(option)
                        + (option.arity().max() > 0 ? " -r" : "") + " -d " + quoted(first(option.description())));
            }
        }
    }

    private static String condition(List<String> words) {
        return words.isEmpty()
                ? "true"
                : String.join(
                        "; and ",
                        words.stream()
                                .map(word -> "__fish_seen_subcommand_from " + word)
                                .toList());
    }

    private static String names(OptionSpec option) {
        var text = new StringBuilder();
        for (String name : option.names()) {
            text.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
        }
        return text.toString();
    }

    private static String first(String... description) {
        return description.length == 0 ? "" : String.format(Locale.ROOT, description[0]);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
