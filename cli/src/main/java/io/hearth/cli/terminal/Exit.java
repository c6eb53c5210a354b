package io.hearth.cli.terminal;

/** Exit codes of all commands. */
public final class Exit {
    public static final int OK = 0;

    /** The command failed; the message on standard error says what to do. */
    public static final int FAILED = 1;

    /** The command line was wrong. */
    public static final int USAGE = 2;

    /** The program that the command had to run cannot be run; the same code as a shell has. */
    public static final int NOT_EXECUTABLE = 126;

    /** The program that the command had to run was not found; the same code as a shell has. */
    public static final int NOT_FOUND = 127;

    /** The command timed out; the same code as timeout(1) has. */
    public static final int TIMED_OUT = 124;

    /** The command was interrupted; the same code with which a shell reports SIGINT. */
    public static final int INTERRUPTED = 130;

    private Exit() {}
}
