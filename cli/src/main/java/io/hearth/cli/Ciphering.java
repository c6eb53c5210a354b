package io.hearth.cli;

import io.hearth.bench.BenchCipher;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code aead} or {@code copy}: how a measurement's records are ciphered. */
final class Ciphering implements ITypeConverter<BenchCipher> {
    @Override
    public BenchCipher convert(String text) {
        return Arrays.stream(BenchCipher.values())
                .filter(cipher -> cipher.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "there is no cipher '" + text + "' to measure, only aead and copy"));
    }
}
