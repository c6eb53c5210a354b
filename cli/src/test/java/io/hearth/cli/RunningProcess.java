package io.hearth.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A process that a test started, and what it has printed. */
public final class RunningProcess implements AutoCloseable {
    private static final String END = "\0end";

    private final Process process;
    private final Thread listener;
    private final BlockingQueue<String> fresh = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    private RunningProcess(Process process) {
        this.process = process;
        this.listener = Thread.ofVirtual().start(this::listen);
    }

    /** Standard error is merged into standard output. */
    public static RunningProcess start(Map<String, String> environment, List<String> command) throws IOException {
        var whole = new ArrayList<>(isInterruptIgnored() ? List.of("env", "--default-signal=INT") : List.<String>of());
        whole.addAll(command);
        var builder = new ProcessBuilder(whole).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return new RunningProcess(builder.start());
    }

    /** A shell starts its background jobs with SIGINT ignored; children inherit that, and Java then ignores it too. */
    private static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return false;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }

    /** Starts {@code hearth ARGUMENTS}, with more flags for Java before them. */
    static RunningProcess hearth(Map<String, String> environment, List<String> flags, String... arguments)
            throws IOException {
        var command = new ArrayList<>(java());
        command.addAll(1, flags);
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        return start(environment, command);
    }

    /** Java with the product and the tests on its class path. */
    public static List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of(System.getProperty("hearth.root"), "bin", "jvm.args"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"));
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    private void listen() {
        try (var output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
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
    public String await(String what, Predicate<String> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            String line = fresh.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(END)) {
                throw new AssertionError(what + " never came" + (line == null ? " within 60 s" : ", the process ended")
                        + ":\n" + String.join("\n", seen));
            }
            seen.add(line);
            if (wanted.test(line)) {
                return line;
            }
        }
    }

    /** Waits for the process to end and returns its exit code. */
    public int exitCode() throws InterruptedException {
        return exitCode(90);
    }

    /** As {@link #exitCode()}, for what takes longer than 90 s. */
    public int exitCode(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + seconds + " s:\n" + output());
        }
        listener.join(Duration.ofSeconds(10)); // all that it printed is here, unless a child of it lives on
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

    /** As Ctrl-C does. */
    void interrupt() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor();
    }

    void end() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
