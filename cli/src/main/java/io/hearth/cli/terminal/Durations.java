package io.hearth.cli.terminal;

import io.hearth.core.TimeSpans;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations; see {@link TimeSpans#parse}. */
public final class Durations implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return TimeSpans.parse(text);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(String.valueOf(wrong.getMessage()));
        }
    }
}
