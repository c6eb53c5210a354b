package io.hearth.cli.process;

import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A LAN of network namespaces that {@code lab/lan} makes. The caller can unplug hosts and split the switch. */
public final class LabNetwork implements AutoCloseable {
    private final Path lan;
    private final String id;

    private LabNetwork(Path lan, String id) {
        this.lan = lan;
        this.id = id;
    }

    /**
     * The path of {@code lab/lan}.
     *
     * @param command the command that needs a lab, for messages
     * @throws SetupException this machine cannot have labs; the message says why
     */
    public static Path script(String command) throws SetupException {
        Optional<String> obstacle = obstacle(
                command,
                System.getProperty("os.name", ""),
                System.getProperty("user.name", ""),
                System.getenv().getOrDefault("PATH", ""));
        if (obstacle.isPresent()) {
            throw new SetupException(obstacle.get());
        }
        return scriptOfTree(command);
    }

    /** The reason why this user cannot make labs on such a system; empty if the user can. */
    static Optional<String> obstacle(String command, String system, String user, String path) {
        if (!system.equals("Linux")) {
            return Optional.of(command + " needs network namespaces, which exist on Linux only; run it there");
        }
        if (!user.equals("root")) {
            return Optional.of(command + " uses network namespaces, which need root; run it with sudo");
        }
        return Stream.of("ip", "tc", "unshare", "bash")
                .filter(program -> !isOnPath(program, path))
                .findFirst()
                .map(program -> command + " needs '" + program
                        + "', which is not on PATH; install the packages iproute2, util-linux and bash");
    }

    /** Checks for a program that only some kinds of faults need. */
    public static void require(String command, String program, String itsPackage) throws SetupException {
        if (!isOnPath(program, System.getenv().getOrDefault("PATH", ""))) {
            throw new SetupException(
                    command + " needs '" + program + "', which is not on PATH; install the package " + itsPackage);
        }
    }

    private static boolean isOnPath(String program, String path) {
        return Arrays.stream(path.split(":", -1)).anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Finds {@code lab/lan} in the source tree of this program. */
    private static Path scriptOfTree(String command) throws SetupException {
        return SourceTree.find(Path.of("lab", "lan"), Files::isExecutable)
                .orElseThrow(() -> new SetupException("no lab/lan in a folder above this program: " + command
                        + " runs from the source tree of Hearth only, as ./" + command));
    }

    /** A lab that another program made and will remove. */
    public static LabNetwork existing(Path script, String id) {
        return new LabNetwork(script, id);
    }

    /** Makes a lab. */
    public static LabNetwork up(Path script, String id, int hosts) throws SetupException, InterruptedException {
        var lab = new LabNetwork(script, id);
        try {
            lab.lan("up", "" + hosts);
            return lab;
        } catch (InterruptedException stop) {
            lab.close(); // the script had finished its work in spite of the interrupt
            throw stop;
        }
    }

    /** Ends the processes of the lab with that id and removes the lab, if it exists. */
    public static void down(Path script, String id) throws SetupException, InterruptedException {
        new LabNetwork(script, id).lan("down");
    }

    /** Unplugs these hosts, all at once. */
    public void cut(List<Integer> unplugged) throws SetupException, InterruptedException {
        var arguments = new ArrayList<>(List.of("cut"));
        unplugged.forEach(host -> arguments.add("" + host));
        lan(arguments.toArray(String[]::new));
    }

    /** Drops all that a host sends; the host still receives. */
    public void mute(int host) throws SetupException, InterruptedException {
        lan("mute", "" + host);
    }

    /** Drops all that is sent to a host; the host can still send. */
    public void deafen(int host) throws SetupException, InterruptedException {
        lan("deaf", "" + host);
    }

    /** Plugs a host in again, for both directions. */
    public void plug(int host) throws SetupException, InterruptedException {
        lan("heal", "" + host);
    }

    /** Splits the switch: only hosts of the same side reach each other. */
    public void split(List<List<Integer>> sides) throws SetupException, InterruptedException {
        lan(
                "split",
                sides.stream()
                        .map(side -> side.stream().map(host -> "" + host).collect(Collectors.joining(" ")))
                        .collect(Collectors.joining("|")));
    }

    /** Plugs all hosts in and joins the switch. */
    public void heal() throws SetupException, InterruptedException {
        lan("heal");
    }

    /** The command line that runs {@code command} on a host, without a process in between. */
    public List<String> on(int host, List<String> command) {
        var whole = new ArrayList<>(List.of(lan.toString(), "--lab", id, "run", "" + host, "--"));
        whole.addAll(command);
        return whole;
    }

    /** The IPv4 address of a host. */
    public String address(int host) throws SetupException, InterruptedException {
        return lan("ip", "" + host).strip();
    }

    private String lan(String... arguments) throws SetupException, InterruptedException {
        var command = new ArrayList<>(List.of(lan.toString(), "--lab", id));
        command.addAll(List.of(arguments));
        try {
            Process process = ChildProcess.of(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new SetupException(String.join(" ", command) + " failed: "
                        + said.strip().lines().collect(Collectors.joining("; "))
                        + "; see lab/README.md for what it needs");
            }
            return said;
        } catch (IOException broken) {
            throw new SetupException("cannot run " + lan + ": " + broken.getMessage(), broken);
        }
    }

    /** Removes the lab, even if this thread is interrupted. */
    @Override
    public void close() throws SetupException {
        boolean interrupted = Thread.interrupted();
        try {
            lan("down");
        } catch (InterruptedException again) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
