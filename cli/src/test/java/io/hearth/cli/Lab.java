package io.hearth.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A LAN of network namespaces with real multicast, made by {@code lab/lan} and removed at the end; needs root and Linux. */
final class Lab implements AutoCloseable {
    private static final Path ROOT = Path.of(System.getProperty("hearth.root", "."));

    private final String id;
    private final List<Running> running = new ArrayList<>();

    private Lab(String id) {
        this.id = id;
    }

    /** Why no lab can be made here; empty where one can. */
    static Optional<String> missing() {
        if (!System.getProperty("os.name", "").equals("Linux")) {
            return Optional.of("network namespaces exist on Linux only");
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("network namespaces need root");
        }
        boolean tools = List.of("ip", "tc", "unshare", "ss").stream().allMatch(Lab::onPath);
        return tools ? Optional.empty() : Optional.of("iproute2 or util-linux is missing");
    }

    static boolean onPath(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    static Lab up(int hosts) throws IOException, InterruptedException {
        var lab = new Lab("it" + ProcessHandle.current().pid());
        lab.lan("up", "" + hosts);
        return lab;
    }

    /** A {@code lan} command that must succeed. */
    void lan(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(ROOT.resolve("lab/lan").toString(), "--lab", id));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    String switchNamespace() {
        return "hearthlan-" + id + "-sw";
    }

    /** Starts {@code hearth ARGUMENTS} on a host, with a home of its own. */
    Running hearth(int host, Path home, String... arguments) throws IOException {
        var command = new ArrayList<>(java());
        command.add("io.hearth.cli.Main");
        command.addAll(List.of(arguments));
        return start(host, Map.of("HEARTH_HOME", home.toString()), command);
    }

    /** Starts a test's own main class on a host, with the product and the tests on its class path. */
    Running main(int host, Path home, Class<?> main, String... arguments) throws IOException {
        var command = new ArrayList<>(java());
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return start(host, Map.of("HEARTH_HOME", home.toString()), command);
    }

    private static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"));
    }

    private Running start(int host, Map<String, String> environment, List<String> program) throws IOException {
        var command = new ArrayList<>(List.of(ROOT.resolve("lab/lan").toString(), "--lab", id, "run", "" + host, "--"));
        command.addAll(program);
        return start(environment, command);
    }

    /** Starts any program; it ends with the lab. */
    Running start(Map<String, String> environment, List<String> command) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        var started = new Running(builder.start());
        running.add(started);
        return started;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (Running process : running) {
            process.end();
        }
        lan("down");
    }

    /** A process of the lab and what it has printed. */
    static final class Running {
        private static final String END = "\0end";

        private final Process process;
        private final BlockingQueue<String> fresh = new LinkedBlockingQueue<>();
        private final List<String> seen = new ArrayList<>();

        private Running(Process process) {
            this.process = process;
            Thread.ofVirtual().start(this::listen);
        }

        private void listen() {
            try (var output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    fresh.add(line);
                }
            } catch (IOException ended) {
                fresh.add("(output broke: " + ended.getMessage() + ")");
            } finally {
                fresh.add(END);
            }
        }

        /** Waits for a line; fails with all that was printed when the process ends or a minute passes before. */
        String await(String what, Predicate<String> wanted) throws InterruptedException {
            while (true) {
                String line = fresh.poll(60, TimeUnit.SECONDS);
                if (line == null || line.equals(END)) {
                    throw new AssertionError(
                            what + " never came" + (line == null ? " within 60 s" : ", the process ended") + ":\n"
                                    + String.join("\n", seen));
                }
                seen.add(line);
                if (wanted.test(line)) {
                    return line;
                }
            }
        }

        /** Waits for the process to end and returns its exit code. */
        int exitCode() throws InterruptedException {
            if (!process.waitFor(90, TimeUnit.SECONDS)) {
                throw new AssertionError("still running after 90 s:\n" + output());
            }
            return process.exitValue();
        }

        /** All that was printed so far. */
        String output() {
            fresh.drainTo(seen);
            seen.remove(END);
            return String.join("\n", seen);
        }

        void kill() {
            process.destroyForcibly();
        }

        void end() throws InterruptedException {
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
