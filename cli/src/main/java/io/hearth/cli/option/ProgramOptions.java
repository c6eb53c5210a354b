package io.hearth.cli.option;

import io.hearth.core.ChildProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The program that takes the place of a command. */
public final class ProgramOptions {
    @Option(
            names = "--with-secret",
            description = "Pass HEARTH_SECRET on to CMD, if it is set. Without this option CMD does not get it.")
    private boolean secret;

    @Parameters(
            arity = "0..*",
            paramLabel = "-- CMD",
            description = "Program that takes the place of this command in the end.")
    private List<String> program = new ArrayList<>();

    /** The program with its environment; empty if none is named. */
    public Optional<ProcessBuilder> program() {
        if (program.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(secret ? ChildProcess.withSecret(program) : ChildProcess.of(program));
    }
}
