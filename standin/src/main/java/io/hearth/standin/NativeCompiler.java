package io.hearth.standin;

import io.hearth.core.ChildProcess;
import io.hearth.core.HearthException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A C or C++ compiler of this machine.
 *
 * @param program absolute path
 */
public record NativeCompiler(Path program) {
    private static final int SECONDS_MAX = 110;
    private static final int MESSAGE_CHARS_MAX = 400;

    /**
     * Returns the first of these programs that exists.
     *
     * @param searchPath in the form of the variable {@code PATH}
     */
    public static Optional<NativeCompiler> find(String searchPath, String... names) {
        return Stream.of(names)
                .flatMap(name -> Stream.of(searchPath.split(File.pathSeparator, -1))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, name).toAbsolutePath())
                        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                        .limit(1))
                .findFirst()
                .map(NativeCompiler::new);
    }

    /**
     * Compiles a library for the dynamic loader.
     *
     * @param flags before the sources
     * @param library written; the compiler's messages go into a file beside it, with {@code .txt} after its name
     * @throws HearthException the compiler fails or takes longer than 110 s; the message has the first lines of its output
     */
    public void library(List<String> flags, List<Path> sources, List<String> linked, Path library)
            throws HearthException, InterruptedException {
        Path output = library.resolveSibling(library.getFileName() + ".txt");
        var command = new ArrayList<String>();
        command.add(program.toString());
        command.addAll(flags);
        command.addAll(List.of("-fPIC", "-shared", "-o", library.toString()));
        sources.forEach(source -> command.add(source.toString()));
        command.addAll(linked);
        try {
            Process process = ChildProcess.of(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
                throw new HearthException(program + " did not end within " + SECONDS_MAX + " s; try again");
            }
            if (process.exitValue() != 0) {
                String message = Files.readString(output).strip();
                throw new HearthException(program + " cannot compile "
                        + sources.getFirst().getFileName() + ": "
                        + message.substring(0, Math.min(MESSAGE_CHARS_MAX, message.length())));
            }
        } catch (IOException failed) {
            throw new HearthException("cannot run " + program + ": " + failed.getMessage(), failed);
        }
    }
}
