package io.hearth.coordinator.machine;

/**
 * A worker on the list.
 *
 * @param address at which other workers call it
 * @param rank from 0; no other worker has it
 * @param session of the process that registered it; 0 if the process did not say
 * @param registration number of its registration; rises, never used twice
 */
public record RegisteredWorker(String id, String address, int rank, long session, long registration) {
    /** Whether a call of this session is of the process that registered the worker, or of one that does not say. */
    boolean isOf(long caller) {
        return caller == 0 || session == 0 || caller == session;
    }
}
