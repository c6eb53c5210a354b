package io.hearth.cli;

import io.hearth.compression.CompressionStrategy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code none}, {@code int8}, {@code topk:0.01}, …: what crosses the wire instead of gradients. */
final class Compression implements ITypeConverter<CompressionStrategy> {
    /** For help texts. */
    static final String CHOICES =
            "none, fp16, bf16, int8, int4, topk, randomk, dgc or powersgd, perhaps with settings (topk:0.001),"
                    + " or auto:lossy for whichever is fastest";

    @Override
    public CompressionStrategy convert(String text) {
        try {
            return CompressionStrategy.parse(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(String.valueOf(unknown.getMessage()));
        }
    }
}
