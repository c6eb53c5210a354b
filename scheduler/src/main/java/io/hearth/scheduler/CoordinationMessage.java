package io.hearth.scheduler;

/**
 * A message from the queue of a node.
 *
 * @param number in its queue; give the newest one back to get what follows
 * @param json the envelope {@code {type, source, target, job_id, timestamp, payload}}
 */
public record CoordinationMessage(long number, String json) {}
