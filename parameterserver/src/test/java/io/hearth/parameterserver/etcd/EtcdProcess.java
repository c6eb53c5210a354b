package io.hearth.parameterserver.etcd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A real etcd on loopback, which a test can kill and start again. */
final class EtcdProcess implements AutoCloseable {
    private static final long START_SECONDS = 30;
    private static final int TRIES = 5;

    private final Path folder;
    private int port;
    private int peerPort;

    @SuppressWarnings("NullAway.Init") // set by each start
    private Process process;

    /** Another program may take a free port before etcd does: etcd ends then, and others are tried. */
    EtcdProcess(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        int tries = 0;
        do {
            assertTrue(tries++ < TRIES, "etcd did not start: see etcd.log");
            port = freePort();
            peerPort = freePort();
        } while (!isStarted());
    }

    /** Whether this machine has an etcd. */
    static boolean isThere() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "etcd")));
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Starts etcd; returns whether it answers, or false if it has ended. */
    private boolean isStarted() throws IOException, InterruptedException {
        String peer = "http://127.0.0.1:" + peerPort;
        process = ChildProcess.of(
                        "etcd",
                        "--data-dir",
                        data().toString(),
                        "--listen-client-urls",
                        endpoint(),
                        "--advertise-client-urls",
                        endpoint(),
                        "--listen-peer-urls",
                        peer,
                        "--initial-advertise-peer-urls",
                        peer,
                        "--initial-cluster",
                        "default=" + peer)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("etcd.log").toFile()))
                .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!answers()) {
            if (!process.isAlive()) {
                return false;
            }
            assertTrue(end - System.nanoTime() > 0, "etcd does not answer: see etcd.log");
            LockSupport.parkNanos(50_000_000); // nothing announces that it listens
        }
        return true;
    }

    private boolean answers() throws InterruptedException {
        try (var session = session()) {
            var _ = session.list("/");
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private Path data() {
        return folder.resolve("etcd-" + port);
    }

    String endpoint() {
        return "http://127.0.0.1:" + port;
    }

    EtcdPlace place() {
        return EtcdPlace.parse(List.of(endpoint()), "");
    }

    EtcdSession session() {
        return new EtcdSession(place(), Duration.ofSeconds(5));
    }

    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** With what it had on its disk. */
    void restart() throws IOException, InterruptedException {
        assertTrue(isStarted(), "etcd did not start again: see etcd.log");
    }

    /** Forgets everything; while it is killed. */
    void wipe() throws IOException {
        Files.move(data(), folder.resolve("wiped-" + System.nanoTime()));
    }

    @Override
    public void close() {
        kill();
    }
}
