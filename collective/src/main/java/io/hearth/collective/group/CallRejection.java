package io.hearth.collective.group;

import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.PeerLostException;

/**
 * Why a number ended without a result, on every rank alike.
 *
 * @param cause which kind of error callers get
 * @param text one line for people, at most {@link #TEXT_MAX} characters; longer ones are cut
 */
public record CallRejection(Cause cause, String text) {
    /** Longest text. */
    public static final int TEXT_MAX = 400;

    /** The kinds of refusal. */
    public enum Cause {
        /** Ranks asked for different things. */
        MISMATCH,
        /** A rank's values cannot be carried by the codec. */
        NON_FINITE,
        /** A member was lost, and the policy is not to go on without it. */
        PEER_LOST,
        /** The root of a broadcast was lost before all held its bytes. */
        ROOT_LOST,
        /** What a rank sent as an encoding is none. */
        MALFORMED,
        /** Some ranks waited for the start of the group, others for a step: those of the step begin it again, the rest enters there. */
        START_MET_STEP
    }

    public CallRejection {
        if (text.length() > TEXT_MAX) {
            text = text.substring(0, TEXT_MAX - 1) + "…";
        }
    }

    /** A new exception of the matching type. */
    public CollectiveException toException() {
        return switch (cause) {
            case MISMATCH -> new CollectiveMismatchException(text);

            case PEER_LOST, ROOT_LOST -> new PeerLostException(text);
            case NON_FINITE, MALFORMED -> new CollectiveException(text);
            case START_MET_STEP -> new StartMetStepException(text);
        };
    }
}
