package io.hearth.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code stall} or {@code continue}: whether to go on alone when the quorum is lost. */
final class OnPartition implements ITypeConverter<Boolean> {
    @Override
    public Boolean convert(String text) {
        return switch (text) {
            case "stall" -> false;
            case "continue" -> true;
            default -> throw new TypeConversionException("it is stall or continue, not '" + text + "'");
        };
    }
}
