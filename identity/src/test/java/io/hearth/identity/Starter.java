package io.hearth.identity;

import io.hearth.core.SetupException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that starts with each given home, and answers with the identity that it found there or made. */
final class Starter implements AutoCloseable {
    private final Process process;
    private final BufferedWriter in;
    private final BufferedReader out;

    Starter() throws IOException {
        process = new ProcessBuilder(command(Starter.class))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = process.outputWriter(StandardCharsets.UTF_8);
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** The command that starts a Java process with the tests' class path. */
    static List<String> command(Class<?> main) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    }

    void send(String home) throws IOException {
        in.write(home + "\n");
        in.flush();
    }

    String answer() throws IOException {
        return String.valueOf(out.readLine());
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    public static void main(String[] arguments) throws IOException, SetupException {
        var homes = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String home = homes.readLine(); home != null; home = homes.readLine()) {
            System.out.println(IdentityRaceTest.start(Path.of(home)));
        }
    }
}
