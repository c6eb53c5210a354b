package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosReport;
import io.hearth.core.HearthException;

/** A chaos run. Its report is available at any time, also after an early end. */
interface ChaosPlay {
    /** Runs to the end. */
    void play() throws HearthException, InterruptedException;

    /** The report of the rounds that are over. */
    ChaosReport report();
}
