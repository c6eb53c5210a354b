package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosReport;
import io.hearth.core.HearthException;

/** A chaos run: it can be reported at any time, also when it was ended early. */
interface ChaosPlay {
    /** Plays to the end. */
    void play() throws HearthException, InterruptedException;

    /** What came of it so far: of the rounds that are over. */
    ChaosReport report();
}
