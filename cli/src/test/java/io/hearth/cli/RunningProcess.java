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

/** A process that a test started, and its output. */
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

    /** Starts a process. Its standard error is merged into standard output. */
    public static RunningProcess start(Map<String, String> environment, List<String> command) throws IOException {
        var whole = new ArrayList<>(isInterruptIgnored() ? List.of("env", "--default-signal=INT") : List.<String>of());
        whole.addAll(command);
        var builder = new ProcessBuilder(whole).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return new RunningProcess(builder.start());
    }

    /** Whether this process ignores SIGINT. A shell starts background jobs so; children inherit it, and then Java ignores SIGINT too. */
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

    /**
     * The command line of Java as agents and commands have it, with only the quick compiler, and with the product and the tests on the class
     * path.
     */
    public static List<String> java() {
        var command = new ArrayList<>(trainerJava());
        command.add(1, "-XX:TieredStopAtLevel=1");
        return command;
    }

    /** As {@link #java}, with all compilers: the cipher of a trainer is many times faster. */
    static List<String> trainerJava() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of(System.getProperty("hearth.root"), "bin", "jvm.args"),
                "-XX:+UseSerialGC",
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

    /** Waits for a line. If the process ends before, or after a minute, it fails with all output. */
    public String await(String what, Predicate<String> wanted) throws InterruptedException {
        return await(what, 60, wanted);
    }

    /** As {@link #await(String, Predicate)}, for lines that take longer. */
    public String await(String what, long seconds, Predicate<String> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line = fresh.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(END)) {
                throw new AssertionError(
                        what + " never came" + (line == null ? " within " + seconds + " s" : ", the process ended")
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

    /** As {@link #exitCode()}, for processes that take longer than 90 s. */
    public int exitCode(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + seconds + " s:\n" + output());
        }
        listener.join(Duration.ofSeconds(10)); // then all its output is here, unless a child of it is alive
        return process.exitValue();
    }

    /** All output so far. */
    String output() {
        fresh.drainTo(seen);
        seen.remove(END);
        return String.join("\n", seen);
    }

    /** The threads of a Java program, and all output so far, for the message of a failure. */
    String threads() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-QUIT", "" + process.pid()).start().waitFor();
        try {
            await("the end of a thread dump", 10, line -> line.startsWith("JNI global refs"));
        } catch (AssertionError ended) {
            seen.add("(no thread dump: it ended, or is no Java program)");
        }
        return output();
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Sends SIGINT, as Ctrl-C does. */
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
