package io.hearth.cli.option;

import io.hearth.collective.RankBounds;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the number of nodes that a job may have; see {@link RankBounds#parse}. */
public final class NodesRange implements ITypeConverter<RankBounds> {
    public static final String LABEL = "MIN[:MAX]";

    @Override
    public RankBounds convert(String text) {
        try {
            return RankBounds.parse(text);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(String.valueOf(wrong.getMessage()));
        }
    }
}
