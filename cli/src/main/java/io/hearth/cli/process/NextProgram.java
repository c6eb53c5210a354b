package io.hearth.cli.process;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The program for which a command only prepares: this process becomes it. So it has the terminal, all signals and its exit code for itself,
 * and no Java stays in memory. As for sh(1), the exit code is {@value Exit#NOT_FOUND} if there is no such program, and
 * {@value Exit#NOT_EXECUTABLE} if the system does not run it.
 */
public final class NextProgram {
    private final Terminal terminal;

    public NextProgram(Terminal terminal) {
        this.terminal = terminal;
    }

    /**
     * Becomes the program. Returns only if that fails, or if the terminal is not this process's own: then the program runs as a child.
     *
     * @param program command and environment; the rest of it is ignored
     * @return the program's exit code, or that of the failure, which was told
     */
    public int start(ProcessBuilder program) throws InterruptedException {
        List<String> command = program.command();
        Optional<Path> file = find(command.getFirst(), program.environment());
        if (file.isEmpty()) {
            return cannotRun(command, "no such program; is it on the PATH?", Exit.NOT_FOUND);
        }
        if (!Files.isExecutable(file.get()) || Files.isDirectory(file.get())) {
            return cannotRun(command, file.get() + " is not executable; make it so (chmod +x)", Exit.NOT_EXECUTABLE);
        }
        return terminal.isOwn() ? become(file.get(), program) : run(program);
    }

    private int become(Path file, ProcessBuilder program) throws InterruptedException {
        terminal.out().flush();
        terminal.err().flush();
        return switch (Execve.call(file, program.command(), program.environment())) {
            case UNAVAILABLE -> run(program);
            case TOO_LONG ->
                cannotRun(
                        program.command(),
                        "its arguments and environment are too long; shorten them",
                        Exit.NOT_EXECUTABLE);
            case FAILED ->
                cannotRun(
                        program.command(),
                        file + " is no program of this system; check its first line",
                        Exit.NOT_EXECUTABLE);
        };
    }

    private int run(ProcessBuilder program) throws InterruptedException {
        try {
            return program.inheritIO().start().waitFor();
        } catch (IOException failed) {
            return cannotRun(program.command(), failed.getMessage() + "; check it", Exit.NOT_EXECUTABLE);
        }
    }

    private int cannotRun(List<String> command, String why, int code) {
        terminal.error("cannot run '" + command.getFirst() + "': " + why);
        return code;
    }

    /** The program's file; one that is on the path and not executable counts only if no other is. */
    static Optional<Path> find(String name, Map<String, String> environment) {
        if (name.contains("/")) {
            return Optional.of(Path.of(name)).filter(Files::exists);
        }
        Optional<Path> found = Optional.empty();
        for (String folder : environment.getOrDefault("PATH", "/usr/bin:/bin").split(File.pathSeparator, -1)) {
            Path file = Path.of(folder).resolve(name);
            if (!name.isEmpty() && Files.isRegularFile(file)) {
                if (Files.isExecutable(file)) {
                    return Optional.of(file);
                }
                found = found.or(() -> Optional.of(file));
            }
        }
        return found;
    }
}
