package io.hearth.cli.terminal;

import io.hearth.accel.EngineName;
import io.hearth.accel.select.Engines;
import io.hearth.agent.CalibrationFile;
import io.hearth.core.SetupException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code auto}, {@code cpu}, {@code portable}, {@code vector} or {@code metal}: what reduces. */
public final class EngineConverter implements ITypeConverter<EngineName> {
    public static final String LABEL = "auto|cpu|vector|metal|portable";

    public static final String DESCRIPTION =
            "What reduces: the fastest by a measurement on this machine, the fastest without the GPU,"
                    + " or exactly that one (default: auto).";

    /**
     * Sees whether the engine exists here, before processes are started that would all end for the lack of it.
     *
     * @throws SetupException it does not; says why
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
