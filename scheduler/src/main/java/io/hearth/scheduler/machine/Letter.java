package io.hearth.scheduler.machine;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.MessageKind;

/**
 * A message in the queue of a node.
 *
 * @param number in its queue, from 1
 * @param source a node, or {@link Bounds#SCHEDULER}
 * @param target a node; empty if it went to all
 * @param job may be empty
 * @param nanos when it was sent, in the machine's time
 * @param payload JSON object
 */
public record Letter(
        long number, MessageKind kind, String source, String target, String job, long nanos, String payload) {
    Letter numbered(long newNumber) {
        return new Letter(newNumber, kind, source, target, job, nanos, payload);
    }
}
