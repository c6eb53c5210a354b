package io.hearth.cli;

import io.hearth.accel.EngineName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code auto}, {@code cpu}, {@code portable}, {@code vector} or {@code metal}: what reduces. */
final class EngineConverter implements ITypeConverter<EngineName> {
    static final String LABEL = "auto|cpu|vector|metal|portable";

    static final String DESCRIPTION =
            "What reduces: the fastest by a measurement on this machine, the fastest without the GPU,"
                    + " or exactly that one (default: auto).";

    @Override
    public EngineName convert(String text) {
        try {
            return EngineName.parse(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(String.valueOf(unknown.getMessage()));
        }
    }
}
