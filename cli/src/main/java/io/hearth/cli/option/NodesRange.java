package io.hearth.cli.option;

import io.hearth.collective.RankBounds;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the number of nodes that a job may have, in the format of torchrun's {@code --nnodes}: {@code MIN} or {@code MIN:MAX}. */
public final class NodesRange implements ITypeConverter<RankBounds> {
    public static final String LABEL = "MIN[:MAX]";

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4})(?::([0-9]{1,4}))?");

    @Override
    public RankBounds convert(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException("must be a number of nodes such as 2 or 2:4, got '" + text + "'");
        }
        int most = form.group(2) == null ? RankBounds.ANY.most() : Integer.parseInt(form.group(2));
        try {
            return new RankBounds(Integer.parseInt(form.group(1)), most);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(String.valueOf(wrong.getMessage()));
        }
    }
}
