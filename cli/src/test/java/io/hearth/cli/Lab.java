package io.hearth.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A LAN of network namespaces with real multicast, which {@code lab/lan} makes. Closing it removes the LAN. It needs root and Linux. */
final class Lab implements AutoCloseable {
    private static final Path ROOT = Path.of(System.getProperty("hearth.root", "."));

    private final String id;
    private final List<RunningProcess> running = new ArrayList<>();

    private Lab(String id) {
        this.id = id;
    }

    /** The reason why this machine cannot have a lab; empty if it can. */
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

    /** Makes a lab; {@code options} are those of {@code lan up}. */
    static Lab up(int hosts, String... options) throws IOException, InterruptedException {
        var lab = new Lab("it" + ProcessHandle.current().pid());
        var words = new ArrayList<>(List.of("up", "" + hosts));
        words.addAll(List.of(options));
        lab.lan(words.toArray(String[]::new));
        return lab;
    }

    /** Runs a command of {@code lab/lan}, which must succeed. */
    void lan(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(ROOT.resolve("lab/lan").toString(), "--lab", id));
        command.addAll(List.of(arguments));
        run(command);
    }

    /** Runs a command of {@code nft} on the switch, which must succeed; its words are separated by spaces. */
    void nft(String command) throws IOException, InterruptedException {
        run(List.of("ip", "netns", "exec", switchNamespace(), "nft", command));
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
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
    RunningProcess hearth(int host, Path home, String... arguments) throws IOException {
        var command = new ArrayList<>(RunningProcess.java());
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        return start(host, Map.of("HEARTH_HOME", home.toString()), command);
    }

    /** Starts a test's own main class on a host, with the product and the tests on its class path. */
    RunningProcess main(int host, Path home, Class<?> main, String... arguments) throws IOException {
        return main(RunningProcess.java(), host, home, main, arguments);
    }

    /** As {@link #main}, for a program that measures its links. */
    RunningProcess trainer(int host, Path home, Class<?> main, String... arguments) throws IOException {
        return main(RunningProcess.trainerJava(), host, home, main, arguments);
    }

    private RunningProcess main(List<String> java, int host, Path home, Class<?> main, String... arguments)
            throws IOException {
        var command = new ArrayList<>(java);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return start(host, Map.of("HEARTH_HOME", home.toString()), command);
    }

    private RunningProcess start(int host, Map<String, String> environment, List<String> program) throws IOException {
        var command = new ArrayList<>(List.of(ROOT.resolve("lab/lan").toString(), "--lab", id, "run", "" + host, "--"));
        command.addAll(program);
        return start(environment, command);
    }

    /** Starts a program that ends with the lab. */
    RunningProcess start(Map<String, String> environment, List<String> command) throws IOException {
        RunningProcess started = RunningProcess.start(environment, command);
        running.add(started);
        return started;
    }

    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted(); // set by a time limit: remove the lab all the same
        try {
            for (RunningProcess process : running) {
                process.end();
            }
            lan("down");
        } catch (InterruptedException impatient) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
