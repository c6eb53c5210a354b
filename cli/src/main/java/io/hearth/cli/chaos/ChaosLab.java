package io.hearth.cli.chaos;

import io.hearth.cli.process.SourceTree;
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

/** A LAN of network namespaces, by {@code lab/lan}: cables that are pulled, a switch that falls apart. */
public final class ChaosLab implements AutoCloseable {
    private final Path lan;
    private final String id;

    private ChaosLab(Path lan, String id) {
        this.lan = lan;
        this.id = id;
    }

    /**
     * The script that makes labs.
     *
     * @param command who asks, for people
     * @throws SetupException no lab can be made here; says why
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

    /** Why no lab can be made by this user of such a system; empty where one can. */
    static Optional<String> obstacle(String command, String system, String user, String path) {
        if (!system.equals("Linux")) {
            return Optional.of(command + " needs network namespaces, which exist on Linux only; run it there");
        }
        if (!user.equals("root")) {
            return Optional.of(command + " works in network namespaces, which needs root; run it with sudo");
        }
        return Stream.of("ip", "tc", "unshare", "bash")
                .filter(program -> !isOnPath(program, path))
                .findFirst()
                .map(program -> command + " needs '" + program
                        + "', which is not on PATH; install the packages iproute2, util-linux and bash");
    }

    /** Refuses to begin what needs a program that most labs do without. */
    static void require(String command, String program, String itsPackage) throws SetupException {
        if (!isOnPath(program, System.getenv().getOrDefault("PATH", ""))) {
            throw new SetupException(
                    command + " needs '" + program + "', which is not on PATH; install the package " + itsPackage);
        }
    }

    private static boolean isOnPath(String program, String path) {
        return Arrays.stream(path.split(":", -1)).anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** The program lies in its source tree, some folders below the one that holds the lab. */
    private static Path scriptOfTree(String command) throws SetupException {
        return SourceTree.find(Path.of("lab", "lan"), Files::isExecutable)
                .orElseThrow(() -> new SetupException("no lab/lan in a folder above this program: " + command
                        + " runs from the source tree of Hearth only, as ./" + command));
    }

    /** A lab that somebody else made and removes. */
    public static ChaosLab existing(Path script, String id) {
        return new ChaosLab(script, id);
    }

    /** Makes a lab. */
    static ChaosLab up(Path script, String id, int hosts) throws SetupException, InterruptedException {
        var lab = new ChaosLab(script, id);
        try {
            lab.lan("up", "" + hosts);
            return lab;
        } catch (InterruptedException stop) {
            lab.close(); // what was begun was finished all the same
            throw stop;
        }
    }

    /** Ends a lab's processes and removes it, if there is one of that id. */
    static void down(Path script, String id) throws SetupException, InterruptedException {
        new ChaosLab(script, id).lan("down");
    }

    /** The cables of these hosts are out, all at once. */
    void cut(List<Integer> unplugged) throws SetupException, InterruptedException {
        var arguments = new ArrayList<>(List.of("cut"));
        unplugged.forEach(host -> arguments.add("" + host));
        lan(arguments.toArray(String[]::new));
    }

    /** The others do not hear a host, which hears them. */
    void mute(int host) throws SetupException, InterruptedException {
        lan("mute", "" + host);
    }

    /** A host does not hear the others, which hear it. */
    void deafen(int host) throws SetupException, InterruptedException {
        lan("deaf", "" + host);
    }

    /** The cable is in again, and works in both directions. */
    void plug(int host) throws SetupException, InterruptedException {
        lan("heal", "" + host);
    }

    /** The switch falls apart: only the hosts of one side reach each other. */
    void split(List<List<Integer>> sides) throws SetupException, InterruptedException {
        lan(
                "split",
                sides.stream()
                        .map(side -> side.stream().map(host -> "" + host).collect(Collectors.joining(" ")))
                        .collect(Collectors.joining("|")));
    }

    /** All cables are in and the switch is one. */
    void heal() throws SetupException, InterruptedException {
        lan("heal");
    }

    /** The command line that becomes {@code command} on a host, in the same process. */
    public List<String> on(int host, List<String> command) {
        var whole = new ArrayList<>(List.of(lan.toString(), "--lab", id, "run", "" + host, "--"));
        whole.addAll(command);
        return whole;
    }

    /** IPv4 address of a host. */
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

    /** Also for a thread that is interrupted: the lab must go all the same. */
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
