package io.hearth.cli.option;

import io.hearth.accel.EngineName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of an engine: {@code auto}, {@code cpu}, {@code portable}, {@code vector} or {@code metal}. */
public final class EngineConverter implements ITypeConverter<EngineName> {
    public static final String LABEL = "auto|cpu|vector|metal|portable";

    @Override
    public EngineName convert(String text) {
        try {
            return EngineName.parse(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(String.valueOf(unknown.getMessage()));
        }
    }
}
