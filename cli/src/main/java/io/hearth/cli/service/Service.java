package io.hearth.cli.service;

import io.hearth.cli.terminal.Terminal;
import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Carries out a {@link ServicePlan}. */
final class Service {
    private final ServicePlan plan;
    private final Terminal terminal;

    Service(ServicePlan plan, Terminal terminal) {
        this.plan = plan;
        this.terminal = terminal;
    }

    /** Prints the files, and the commands that come after or before. */
    void show(List<ServicePlan.Step> steps) {
        plan.files().forEach((path, content) -> {
            terminal.out().println("# " + path);
            terminal.out().println(content);
        });
        steps.forEach(step -> terminal.out().println("$ " + String.join(" ", step.command())));
    }

    /** Writes the files, and starts or restarts the service. */
    void install() throws SetupException, InterruptedException {
        for (var file : plan.files().entrySet()) {
            write(file.getKey(), file.getValue());
        }
        for (ServicePlan.Step step : plan.start()) {
            run(step);
        }
    }

    /** Stops the service and deletes the files. Returns whether there were any. */
    boolean uninstall() throws SetupException, InterruptedException {
        for (ServicePlan.Step step : plan.stop()) {
            run(step);
        }
        boolean wasThere = false;
        for (Path file : plan.files().keySet()) {
            try {
                wasThere |= Files.deleteIfExists(file);
            } catch (IOException failed) {
                throw new SetupException("cannot delete " + file + ": " + failed + "; delete it by hand", failed);
            }
        }
        return wasThere;
    }

    private static void write(Path file, String content) throws SetupException {
        try {
            Files.createDirectories(file.getParent());
            Path fresh = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), content);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot write " + file + ": " + failed + "; call it with the rights to write there", failed);
        }
    }

    private static void run(ServicePlan.Step step) throws SetupException, InterruptedException {
        String line = String.join(" ", step.command());
        int code;
        String said;
        try {
            Process process =
                    ChildProcess.of(step.command()).redirectErrorStream(true).start();
            said = new String(process.getInputStream().readNBytes(10_000), StandardCharsets.UTF_8).strip();
            code = process.waitFor();
        } catch (IOException failed) {
            code = -1;
            said = String.valueOf(failed.getMessage());
        }
        if (code != 0 && !step.mayFail()) {
            throw new SetupException("'" + line + "' failed"
                    + (said.isEmpty()
                            ? " with code " + code
                            : ": " + said.lines().findFirst().orElse(""))
                    + "; run it by hand to see more");
        }
    }
}
