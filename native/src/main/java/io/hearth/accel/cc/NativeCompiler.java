package io.hearth.accel.cc;

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
    private static final int COMPLAINT_CHARS_MAX = 400;

    /**
     * The first of these programs that there is.
     *
     * @param searchPath as the variable {@code PATH}
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
     * Makes a library that the dynamic loader takes.
     *
     * @param flags before the sources
     * @param folder of this process alone, for the library and what the compiler says
     * @return the library
     * @throws HearthException it does not compile, or takes longer than 110 s; tells the first lines of what the compiler says
     */
    public Path library(List<String> flags, List<Path> sources, List<String> linked, Path folder)
            throws HearthException, InterruptedException {
        Path library = folder.resolve("lib" + folder.getFileName() + ".so");
        Path said = folder.resolve("compiler.txt");
        var command = new ArrayList<String>();
        command.add(program.toString());
        command.addAll(flags);
        command.addAll(List.of("-fPIC", "-shared", "-o", library.toString()));
        sources.forEach(source -> command.add(source.toString()));
        command.addAll(linked);
        try {
            Process process = ChildProcess.of(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            boolean ended = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
                throw new HearthException(program + " was not done within " + SECONDS_MAX + " s; try again");
            }
            if (process.exitValue() != 0) {
                String complaint = Files.readString(said).strip();
                throw new HearthException(program + " does not compile "
                        + sources.getFirst().getFileName() + ": "
                        + complaint.substring(0, Math.min(COMPLAINT_CHARS_MAX, complaint.length())));
            }
            return library;
        } catch (IOException failed) {
            throw new HearthException("cannot run " + program + ": " + failed.getMessage(), failed);
        }
    }
}
