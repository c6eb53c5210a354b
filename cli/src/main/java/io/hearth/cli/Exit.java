package io.hearth.cli;

/** The exit codes that all commands share. */
final class Exit {
    static final int OK = 0;

    /** The world was in the way; the line on standard error says how to mend it. */
    static final int FAILED = 1;

    /** The command line was wrong. */
    static final int USAGE = 2;

    /** As timeout(1) does. */
    static final int TIMED_OUT = 124;

    /** As a shell reports SIGINT. */
    static final int INTERRUPTED = 130;

    private Exit() {}
}
