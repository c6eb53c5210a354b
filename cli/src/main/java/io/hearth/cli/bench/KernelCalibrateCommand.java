package io.hearth.cli.bench;

import io.hearth.accel.select.EngineSurvey;
import io.hearth.agent.CalibrationFile;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth kernel calibrate}: measures the GPU again. */
@Command(
        name = "calibrate",
        description = {
            "Measure the GPU of this machine against the CPU again, and show which engine '--engine auto' now takes.",
            "Hearth does this by itself every 30 days, and when macOS, Java or the kernels have changed."
        })
public final class KernelCalibrateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--json", description = "Print one line of JSON, as 'hearth kernel info --json' does.")
    private boolean json;

    public KernelCalibrateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws SetupException {
        EngineSurvey survey = EngineSurvey.calibrated(CalibrationFile.in(terminal.environment()));
        KernelInfoCommand.print(survey, json, terminal);
        return Exit.OK;
    }
}
