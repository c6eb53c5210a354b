package io.hearth.identity;

import io.hearth.core.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs a program of the operating system, for data that no library provides. */
final class SystemProgram {
    private static final int ANSWER_BYTES_MAX = 64 * 1024;
    private static final long ANSWER_SECONDS_MAX = 5;

    private SystemProgram() {}

    /** The output of {@code command}, at most 64 KiB; empty if it cannot be started or does not end in time. */
    static Optional<String> answer(List<String> command) {
        Process program;
        try {
            program = ChildProcess.of(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException _) {
            return Optional.empty();
        }
        try {
            program.getOutputStream().close();
            if (!program.waitFor(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)) {
                return Optional.empty();
            }
            return Optional.of(
                    new String(program.getInputStream().readNBytes(ANSWER_BYTES_MAX), StandardCharsets.UTF_8));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        } finally {
            program.destroyForcibly();
        }
    }
}
