package io.hearth.cli.option;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Engines;
import io.hearth.agent.CalibrationFile;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import picocli.CommandLine.Option;

/** The option {@code --engine} of all commands that sum. */
public final class EngineOption {
    @Option(
            names = "--engine",
            paramLabel = EngineConverter.LABEL,
            converter = EngineConverter.class,
            description =
                    "Engine that adds the numbers: the fastest of this machine by measurement (auto), the fastest without the GPU"
                            + " (cpu), or the named one. Default: auto.")
    public EngineName name = EngineName.AUTO;

    /**
     * The engine of that name; {@code auto} measures the engines first if this machine has a GPU.
     *
     * @throws SetupException the engine does not exist here; the message says why
     */
    public Engines.Choice chosen(Terminal terminal) throws SetupException {
        return Engines.chosen(name, CalibrationFile.in(terminal.environment()));
    }

    /**
     * Checks that a named engine exists here, before the caller starts processes that need it.
     *
     * @throws SetupException as {@link #chosen}
     */
    public void require(Terminal terminal) throws SetupException {
        if (name != EngineName.AUTO) {
            var _ = chosen(terminal);
        }
    }
}
