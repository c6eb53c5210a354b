package io.hearth.collective.group;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A member's message to another one about the call in which it has waited for a while; see {@link Standstill}.
 *
 * @param lineage as in {@link OpenCall}, as are the next three; empty if it waits no more
 * @param isAwaited whether the receiver is a member of the call's place
 * @param mismatch the error with which the sender ends the call; empty while it waits
 * @param called as in {@link OpenCall}
 */
public record WaitNote(
        String lineage,
        String place,
        long number,
        String text,
        boolean isAwaited,
        String mismatch,
        SortedMap<String, Long> called) {
    /** Kind of the message on a control link. */
    public static final int KIND = 45;

    /** Most places of a note: the group and its subgroups. */
    public static final int PLACES_MAX = StatusReport.SUBGROUPS_MAX + 1;

    /** Longest text of a call or an error, in characters; longer ones are cut. */
    static final int TEXT_MAX = 1000;

    /** The note of a member that waits no more. */
    public static final WaitNote NONE = new WaitNote("", "", 0, "", false, "", new TreeMap<>());

    public WaitNote {
        called = Collections.unmodifiableSortedMap(new TreeMap<>(called));
        if (number < 0 || number > Status.NUMBER_MAX || called.size() > PLACES_MAX) {
            throw new IllegalArgumentException("a note needs a number of 0 to " + Status.NUMBER_MAX + " and at most "
                    + PLACES_MAX + " places, got " + number + " and " + called.size());
        }
        text = cut(text);
        mismatch = cut(mismatch);
    }

    private static String cut(String text) {
        return text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX - 1) + "…" : text;
    }
}
