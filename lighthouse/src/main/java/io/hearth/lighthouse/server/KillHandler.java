package io.hearth.lighthouse.server;

/** Ends the process of a manager for a caller that is not authenticated. */
public interface KillHandler {
    /**
     * Ends it, or begins to. The caller is answered when this returns, and hears of the end of its connection if it does not.
     *
     * @param message of the caller
     */
    void kill(String message);
}
