package io.hearth.cli.doctor;

/**
 * The result of one check.
 *
 * @param check its name
 * @param text what was found, with the evidence
 * @param remedy what to do; empty if nothing
 */
record Finding(String check, Level level, String text, String remedy) {
    /** How bad it is. */
    enum Level {
        OK,
        /** Worth knowing; Hearth works. */
        NOTE,
        /** Hearth does not work, or not as it should. */
        PROBLEM
    }

    static Finding ok(String check, String text) {
        return new Finding(check, Level.OK, text, "");
    }

    static Finding note(String check, String text, String remedy) {
        return new Finding(check, Level.NOTE, text, remedy);
    }

    static Finding problem(String check, String text, String remedy) {
        return new Finding(check, Level.PROBLEM, text, remedy);
    }

    /** A problem from the text of an exception, which ends with the remedy after its last semicolon. */
    static Finding problem(String check, Exception failed) {
        String text = String.valueOf(failed.getMessage());
        int remedy = text.lastIndexOf("; ");
        return remedy < 0
                ? problem(check, text, "")
                : problem(check, text.substring(0, remedy), text.substring(remedy + 2));
    }
}
