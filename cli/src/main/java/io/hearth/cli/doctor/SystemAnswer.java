package io.hearth.cli.doctor;

import io.hearth.core.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Output of the system's own tools. */
final class SystemAnswer {
    private static final int BYTES_MAX = 100_000;
    private static final long SECONDS_MAX = 5;

    private SystemAnswer() {}

    /** What a tool printed; empty if there is no such tool, or it takes longer than {@value #SECONDS_MAX} s. */
    static String of(String... command) {
        try {
            Process tool = ChildProcess.of(command).redirectErrorStream(true).start();
            Thread limit = Thread.ofVirtual().start(() -> {
                try {
                    if (!tool.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                        tool.destroyForcibly(); // which ends the output
                    }
                } catch (InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
            });
            try (var output = tool.getInputStream()) {
                return new String(output.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
            } finally {
                limit.interrupt();
                tool.destroyForcibly();
            }
        } catch (IOException missing) {
            return "";
        }
    }
}
