package io.hearth.parameterserver.table;

import io.hearth.serve.Failure;

/** What became of an update. */
public sealed interface Outcome {
    /**
     * It is part of the table.
     *
     * @param version of the parameter that has it; 0 for updates of no parameter
     * @param isApplied whether that version is there
     * @param isRepeat whether it was part of the table before
     */
    record Taken(long version, boolean isApplied, boolean isRepeat) implements Outcome {}

    /** It changes nothing. */
    record Refused(Failure why) implements Outcome {}
}
