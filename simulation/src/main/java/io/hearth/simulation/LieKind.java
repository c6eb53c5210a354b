package io.hearth.simulation;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** What a member can lie about; see {@link Simulation#lies}. */
public enum LieKind {
    /** One number of anything that it says but of a view is another: negative, zero, at or beyond a bound. */
    ANY_NUMBER,
    /** The numbers of its status are huge: how far its collectives are, what it keeps. */
    STATUS_NUMBERS,
    /** The views that it proposes have resolutions with bad numbers, or that are none. */
    RESOLUTIONS,
    /** It prepares ballots of the highest rounds, or of rounds that climb by steps, and does no more. */
    HIGH_BALLOTS,
    /** It refuses ballots for the sake of one of such a round. */
    HIGH_REFUSALS,
    /** It asks to leave again and again, and answers every ballot as if it stayed. */
    LEAVE_AND_ANSWER,
    /** It asks to leave with any entry epoch, and stays out, and comes back. */
    LEAVE_NUMBERS,
    /** It asks for entry in another role, or for another group. */
    OTHER_ROLE,
    /** It admits those who ask in another role, or into another group. */
    ADMITS_OTHERWISE,
    /** It answers ballots that nobody began. */
    STRAY_ANSWERS,
    /** It says that it lives in an old or invented lineage, with many members. */
    BIG_LINEAGES,
    /** It says that it reaches none of the others. */
    BROKEN_PAIRS,
    /** It says that it accepted a view that nobody proposed. */
    FORGED_ACCEPTANCE,
    /** It says that a view is committed that nobody proposed. */
    FORGED_COMMIT;

    /**
     * Those that the present rules bear: others train on, and no process ends. Not among them: a wrong resolution can leave two
     * trainers at different numbers, and a forged view is believed.
     */
    static final Set<LieKind> BORNE = Collections.unmodifiableSet(
            EnumSet.complementOf(EnumSet.of(RESOLUTIONS, FORGED_ACCEPTANCE, FORGED_COMMIT)));

    /** Whether those who believe it may end with two views of one number: members are trusted with that. */
    boolean isForgery() {
        return this == FORGED_ACCEPTANCE || this == FORGED_COMMIT;
    }

    /** Whether results may suffer from it: what a member says of its collectives is believed. */
    boolean isAboutResults() {
        return isForgery() || this == STATUS_NUMBERS || this == RESOLUTIONS || this == ANY_NUMBER;
    }

    /** As in reports: lower case with dashes. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind of that name. */
    public static Optional<LieKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text().equals(text)).findFirst();
    }
}
