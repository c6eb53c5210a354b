package io.hearth.cli.option;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.TypeConversionException;

/** Reads a codec of gradients: {@code none}, {@code int8}, {@code topk:0.01}, …. */
public final class Compression implements ITypeConverter<CompressionStrategy> {
    /** For help texts. */
    static final String CHOICES =
            "none, fp16, bf16, int8, int4, topk, randomk, dgc or powersgd, optionally with settings (topk:0.001,bits=32);"
                    + " auto:lossy measures and takes the fastest";

    private static final List<String> OPTIONS = List.of("--compression", "--codecs");

    @Override
    public CompressionStrategy convert(String text) {
        try {
            return CompressionStrategy.parse(text);
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(String.valueOf(unknown.getMessage()));
        }
    }

    /** Adds the list of codecs and their settings to the help of each command that has an option for codecs. */
    public static void explain(CommandLine commands) {
        for (CommandLine each : commands.getSubcommands().values()) {
            CommandSpec spec = each.getCommandSpec();
            if (OPTIONS.stream().anyMatch(spec.optionsMap()::containsKey)) {
                var lines = new ArrayList<>(List.of("", "Codecs, with their settings and defaults:"));
                CompressionStrategy.help().forEach(line -> lines.add("  " + line));
                spec.usageMessage().footer(lines.toArray(String[]::new));
            }
            explain(each);
        }
    }
}
