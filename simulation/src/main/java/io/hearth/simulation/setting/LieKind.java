package io.hearth.simulation.setting;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The kinds of lies of a member; see {@code Simulation.lies}. */
public enum LieKind {
    /** One number of any message without a view is changed: negative, zero, at or beyond a bound. */
    ANY_NUMBER,
    /** The numbers of its status are huge: how far its collectives are, what it keeps. */
    STATUS_NUMBERS,
    /** The views that it proposes have resolutions with bad numbers, or malformed ones. */
    RESOLUTIONS,
    /** It prepares ballots of the highest rounds, or of rounds that climb by steps, and does no more. */
    HIGH_BALLOTS,
    /** It rejects ballots in favour of one of such a round. */
    HIGH_REFUSALS,
    /** It asks to leave again and again, and answers every ballot as if it stayed. */
    LEAVE_AND_ANSWER,
    /** It asks to leave with any entry epoch, and stays out, and comes back. */
    LEAVE_NUMBERS,
    /** It asks for entry in another role, or for another group. */
    OTHER_ROLE,
    /** It admits a node in another role than asked, or into another group. */
    ADMITS_OTHERWISE,
    /** It answers ballots that no node began. */
    STRAY_ANSWERS,
    /** It claims to live in an old or invented lineage with many members. */
    BIG_LINEAGES,
    /** It claims to reach none of the others. */
    BROKEN_PAIRS,
    /** It claims to have accepted a view that no node proposed. */
    FORGED_ACCEPTANCE,
    /** It claims that a view is committed which no node proposed. */
    FORGED_COMMIT;

    /**
     * The kinds that the rules withstand: the others train on, and no process ends. Two kinds are not among them: a wrong resolution can
     * leave two trainers at different numbers, and a forged view is believed.
     */
    public static final Set<LieKind> BORNE = Collections.unmodifiableSet(
            EnumSet.complementOf(EnumSet.of(RESOLUTIONS, FORGED_ACCEPTANCE, FORGED_COMMIT)));

    /** Whether nodes that believe it may end with two views of one epoch; members are trusted with that. */
    public boolean isForgery() {
        return this == FORGED_ACCEPTANCE || this == FORGED_COMMIT;
    }

    /** Whether it may spoil results: a member's report of its collectives is believed. */
    public boolean isAboutResults() {
        return isForgery() || this == STATUS_NUMBERS || this == RESOLUTIONS || this == ANY_NUMBER;
    }

    /** As in reports: lower case with dashes. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
