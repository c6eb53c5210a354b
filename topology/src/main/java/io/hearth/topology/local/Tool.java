package io.hearth.topology.local;

import io.hearth.core.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs one of the operating system's own small tools. */
public final class Tool {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int OUTPUT_BYTES_MAX = 64 * 1024;

    private Tool() {}

    /** The output of the tool, at most 64 KiB; empty if the tool is missing or takes longer than 5 s. */
    public static String output(String... command) {
        Process process;
        try {
            process = ChildProcess.of(command).redirectErrorStream(true).start();
        } catch (IOException missing) {
            return "";
        }
        var read = new FutureTask<>(() -> process.getInputStream().readNBytes(OUTPUT_BYTES_MAX));
        Thread.ofVirtual().name("hearth-tool").start(read);
        try {
            return new String(read.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS), StandardCharsets.UTF_8);
        } catch (TimeoutException | ExecutionException slowOrBroken) {
            return "";
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return "";
        } finally {
            process.destroyForcibly();
        }
    }
}
