package io.hearth.cli;

import io.hearth.collective.GroupMachine.Policy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code retry} or {@code fail-fast}: what becomes of a running collective when a member is lost. */
final class OnLoss implements ITypeConverter<Policy> {
    @Override
    public Policy convert(String text) {
        return switch (text) {
            case "retry" -> Policy.RETRY;
            case "fail-fast" -> Policy.FAIL_FAST;
            default -> throw new TypeConversionException("it is retry or fail-fast, not '" + text + "'");
        };
    }
}
