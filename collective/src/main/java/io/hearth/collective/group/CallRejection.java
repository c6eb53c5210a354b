package io.hearth.collective.group;

import io.hearth.compression.NonFiniteException;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.PeerLostException;
import io.hearth.core.RootLostException;
import java.util.regex.Pattern;

/**
 * Reason why a number ended without a result, the same on every rank.
 *
 * @param cause kind of error that callers get
 * @param text one line for messages, at most {@link #TEXT_MAX} characters; longer ones are cut
 */
public record CallRejection(Cause cause, String text) {
    /** Longest text. */
    public static final int TEXT_MAX = 400;

    private static final int BRIEF_MAX = 100;
    private static final Pattern NOT_ASCII = Pattern.compile("[^\\x20-\\x7e]");

    /** The kinds of rejection. */
    public enum Cause {
        /** Ranks made different calls. */
        MISMATCH,
        /** The codec cannot encode a rank's values. */
        NON_FINITE,
        /** A member was lost, and the policy forbids to go on without it. */
        PEER_LOST,
        /** The root of a broadcast was lost before all held its bytes. */
        ROOT_LOST,
        /** A rank sent bytes that are not an encoding of the codec. */
        MALFORMED,
        /**
         * Some ranks waited for the start of the group, others for a step. The ranks at the step begin it again; the others enter there.
         */
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
            case PEER_LOST -> new PeerLostException(text);
            case ROOT_LOST -> new RootLostException(text);
            case NON_FINITE -> new NonFiniteException(text);
            case MALFORMED -> new CollectiveException(text);
            case START_MET_STEP -> new StartMetStepException(text);
        };
    }

    /** The same with a text of at most 100 ASCII characters. */
    CallRejection brief() {
        String ascii = NOT_ASCII.matcher(text).replaceAll("?");
        return new CallRejection(cause, ascii.length() > BRIEF_MAX ? ascii.substring(0, BRIEF_MAX) : ascii);
    }
}
