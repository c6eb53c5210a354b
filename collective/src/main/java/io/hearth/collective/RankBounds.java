package io.hearth.collective;

import io.hearth.election.View;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits on the number of ranks of a group.
 *
 * @param least with fewer ranks, the next step waits; without steps, the next collective
 * @param most with more ranks, no step begins; the trainers that came last are spares and wait outside the group
 */
public record RankBounds(int least, int most) {
    /** No limits. */
    public static final RankBounds ANY = new RankBounds(1, View.MEMBERS_MAX);

    private static final Pattern FORM = Pattern.compile("([0-9]{1,4})(?::([0-9]{1,4}))?");

    public RankBounds {
        if (least < 1 || most < least || most > View.MEMBERS_MAX) {
            throw new IllegalArgumentException("ranks must be MIN to MAX with 1 <= MIN <= MAX <= " + View.MEMBERS_MAX
                    + ", got " + least + " and " + most);
        }
    }

    /**
     * Reads {@code MIN} or {@code MIN:MAX}, the format of torchrun's {@code --nnodes}.
     *
     * @throws IllegalArgumentException if the text has neither form, or no group can have these limits
     */
    public static RankBounds parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("must be a number of nodes such as 2 or 2:4, got '" + text + "'");
        }
        int most = form.group(2) == null ? ANY.most() : Integer.parseInt(form.group(2));
        return new RankBounds(Integer.parseInt(form.group(1)), most);
    }
}
