package io.hearth.cli;

import io.hearth.collective.AllReduceStrategy;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code auto}, {@code ring}, {@code direct}, {@code tree} or {@code centralized}: which way an all-reduce takes. */
final class Algorithm implements ITypeConverter<AllReduceStrategy> {
    @Override
    public AllReduceStrategy convert(String text) {
        for (AllReduceStrategy way : AllReduceStrategy.values()) {
            if (way.name().toLowerCase(Locale.ROOT).equals(text)) {
                return way;
            }
        }
        throw new TypeConversionException(
                "there is no algorithm '" + text + "', only auto, ring, direct, tree and centralized");
    }
}
