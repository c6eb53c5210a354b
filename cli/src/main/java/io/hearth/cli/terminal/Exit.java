package io.hearth.cli.terminal;

/** The exit codes that all commands share. */
public final class Exit {
    public static final int OK = 0;

    /** The world was in the way; the line on standard error says how to mend it. */
    public static final int FAILED = 1;

    /** The command line was wrong. */
    public static final int USAGE = 2;

    /** As timeout(1) does. */
    public static final int TIMED_OUT = 124;

    /** As a shell reports SIGINT. */
    public static final int INTERRUPTED = 130;

    private Exit() {}
}
