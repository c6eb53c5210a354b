package io.hearth.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Upper bounds, and checks that name what is wrong. */
public final class Bounds {
    public static final int NODES_MAX = 256;
    public static final int JOBS_MAX = 256;

    /** Shards of one job. */
    public static final int SHARDS_MAX = 4_096;

    /** Shards of all jobs that are remembered. */
    public static final int ALL_SHARDS_MAX = 262_144;

    /** Data sets of which a node says how near they are. */
    public static final int LOCALITIES_MAX = 16;

    public static final int EPOCHS_MAX = 1_000_000;
    public static final int BATCH_MAX = 1 << 24;

    /** Bytes of a path, an address or a reason, in UTF-8. */
    public static final int TEXT_BYTES_MAX = 512;

    /** Characters of the name of a job. */
    public static final int NAME_CHARACTERS_MAX = 64;

    /** The source of the scheduler's own messages. */
    public static final String SCHEDULER = "scheduler";

    private static final Pattern NODE_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final int SHOWN_MAX = 80;

    private Bounds() {}

    /**
     * Checks the id of a node.
     *
     * @throws IllegalArgumentException with what is allowed
     */
    public static String nodeId(String id) {
        if (id.equals(SCHEDULER)) {
            throw new IllegalArgumentException("no node has the id \"" + SCHEDULER
                    + "\", from which the scheduler's own messages come: choose another");
        }
        return matching(NODE_ID, "a node id", "._:/@-", id);
    }

    /** As {@link #nodeId}, for the name of a job. */
    public static String jobName(String name) {
        return matching(NAME, "the name of a job", "._-", name);
    }

    /** As {@link #nodeId}, for an id that a caller makes: of a submission or a message. */
    public static String callerId(String id) {
        return matching(NODE_ID, "a submit_id or message_id", "._:/@-", id);
    }

    private static String matching(Pattern pattern, String what, String others, String text) {
        if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException(what + " has 1 to 64 letters, digits or any of " + others
                    + ", and begins with a letter or digit; got \"" + shown(text) + "\"");
        }
        return text;
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
    }

    /** Checks a text of at most {@link #TEXT_BYTES_MAX} bytes. */
    public static String text(String what, String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > TEXT_BYTES_MAX) {
            throw new IllegalArgumentException(
                    what + " has at most " + TEXT_BYTES_MAX + " bytes, got " + bytes + ": shorten it");
        }
        return text;
    }

    /** Checks that a number is within both bounds. */
    public static long range(String what, long least, long most, long value) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " is " + least + " to " + most + ", got " + value);
        }
        return value;
    }

    /** Checks that a number that came as a uint64 fits; the text has the number that the caller sent. */
    public static long unsigned(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(
                    what + " is 0 to " + Long.MAX_VALUE + ", got " + Long.toUnsignedString(value));
        }
        return value;
    }

    /** As {@link #unsigned(String, long)}, for a uint32. */
    public static int unsigned(String what, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(
                    what + " is 0 to " + Integer.MAX_VALUE + ", got " + Integer.toUnsignedString(value));
        }
        return value;
    }
}
