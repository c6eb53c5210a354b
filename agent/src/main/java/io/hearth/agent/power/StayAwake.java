package io.hearth.agent.power;

import io.hearth.core.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prevents that an unused machine falls asleep while this is open. A closed lid, an empty battery and the user's own command
 * still send it to sleep. A tool of the system holds the lock: caffeinate(8) of macOS, systemd-inhibit(1) of Linux. It ends with this
 * process, however that ends, because it runs {@code cat} on a pipe from here.
 */
public final class StayAwake implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StayAwake.class);

    private final Optional<Process> tool;

    private StayAwake(Optional<Process> tool) {
        this.tool = tool;
    }

    /** Begins, if this system has such a tool. A failure is only logged, because it does not keep the training from going on. */
    public static StayAwake begin() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        return begin(command(os, Files.isDirectory(Path.of("/run/systemd/system"))));
    }

    static StayAwake begin(List<String> command) {
        if (command.isEmpty()) {
            return new StayAwake(Optional.empty());
        }
        try {
            return new StayAwake(Optional.of(ChildProcess.of(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()));
        } catch (IOException missing) {
            LOG.debug("this machine may fall asleep while it trains: {}", missing.getMessage());
            return new StayAwake(Optional.empty());
        }
    }

    /**
     * The command that holds the lock until its input ends.
     *
     * @param os name of the system, in lower case
     * @param hasSystemd whether systemd runs
     */
    static List<String> command(String os, boolean hasSystemd) {
        if (os.startsWith("mac")) {
            return List.of("/usr/bin/caffeinate", "-i", "/bin/cat");
        }
        return os.startsWith("linux") && hasSystemd
                ? List.of("systemd-inhibit", "--what=idle:sleep", "--who=Hearth", "--why=A training runs", "cat")
                : List.of();
    }

    /** The tool's process, if there is one. */
    Optional<ProcessHandle> tool() {
        return tool.map(Process::toHandle);
    }

    /** Ends; idempotent. */
    @Override
    public void close() {
        tool.ifPresent(process -> {
            try {
                process.getOutputStream().close();
            } catch (IOException gone) {
                LOG.trace("the tool had ended", gone);
            }
            process.destroy();
        });
    }
}
