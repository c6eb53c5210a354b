package io.hearth.serve.shell;

import java.util.OptionalDouble;

/**
 * A job that a service runs, for people.
 *
 * @param reason why it is over; may be empty
 * @param epoch in which it is, from 1
 * @param parts of an epoch's data
 * @param partsDone in this epoch
 * @param samplesPerSecond of all nodes together; 0 while this machine does not know it
 * @param secondsLeft until the last sample; empty while this machine does not know it
 */
public record ServiceJob(
        String name,
        String state,
        String reason,
        long epoch,
        long epochs,
        long partsDone,
        long parts,
        double samplesPerSecond,
        OptionalDouble secondsLeft) {}
