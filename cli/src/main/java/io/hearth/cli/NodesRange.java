package io.hearth.cli;

import io.hearth.collective.RankBounds;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How many nodes a job may have, as torchrun's {@code --nnodes} has it: {@code MIN} or {@code MIN:MAX}. */
final class NodesRange implements ITypeConverter<RankBounds> {
    static final String LABEL = "MIN[:MAX]";

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4})(?::([0-9]{1,4}))?");

    @Override
    public RankBounds convert(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException("'" + text + "' is no number of nodes such as 2 or 2:4");
        }
        int most = form.group(2) == null ? RankBounds.ANY.most() : Integer.parseInt(form.group(2));
        try {
            return new RankBounds(Integer.parseInt(form.group(1)), most);
        } catch (IllegalArgumentException wrong) {
            throw new TypeConversionException(String.valueOf(wrong.getMessage()));
        }
    }
}
