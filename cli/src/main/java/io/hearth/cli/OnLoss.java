package io.hearth.cli;

import io.hearth.collective.LossPolicy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code retry} or {@code fail-fast}: what becomes of a running collective when a member is lost. */
final class OnLoss implements ITypeConverter<LossPolicy> {
    @Override
    public LossPolicy convert(String text) {
        return switch (text) {
            case "retry" -> LossPolicy.RETRY;
            case "fail-fast" -> LossPolicy.FAIL_FAST;
            default -> throw new TypeConversionException("it is retry or fail-fast, not '" + text + "'");
        };
    }
}
