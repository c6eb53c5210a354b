package io.hearth.cli.option;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Engines;
import io.hearth.agent.CalibrationFile;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of an engine: {@code auto}, {@code cpu}, {@code portable}, {@code vector} or {@code metal}. */
public final class EngineConverter implements ITypeConverter<EngineName> {
    public static final String LABEL = "auto|cpu|vector|metal|portable";

    public static final String DESCRIPTION =
            "Engine that adds the numbers: the fastest of this machine by measurement (auto), the fastest without the GPU"
                    + " (cpu), or the named one. Default: auto.";

    /**
     * Checks that the engine exists here, before the caller starts processes that need it.
     *
     * @throws SetupException the engine does not exist here; the message says why
     */
    public static void require(EngineName engine, Terminal terminal) throws SetupException {
        if (engine != EngineName.AUTO) {
            Engines.chosen(engine, CalibrationFile.in(terminal.environment()));
        }
    }

    @Override
    public EngineName convert(String text) {
        try {
            return EngineName.parse(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(String.valueOf(unknown.getMessage()));
        }
    }
}
