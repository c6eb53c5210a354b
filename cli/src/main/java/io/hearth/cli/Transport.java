package io.hearth.cli;

import io.hearth.transport.DataTransport;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code auto}, {@code shm} or {@code tcp}: how data travels between nodes of this machine. */
final class Transport implements ITypeConverter<DataTransport> {
    @Override
    public DataTransport convert(String text) {
        try {
            return DataTransport.parse(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(String.valueOf(unknown.getMessage()));
        }
    }
}
