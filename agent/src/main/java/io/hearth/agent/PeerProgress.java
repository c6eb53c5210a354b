package io.hearth.agent;

/** Hears how a wait for peers gets on. */
@FunctionalInterface
public interface PeerProgress {
    /** No listener. */
    PeerProgress NONE = (_, _, _) -> {};

    /**
     * Called by the waiting thread at the start of the wait and after each change.
     *
     * @param found trainers of the group in the view now, 0 or more, without this one
     * @param wanted number for which the wait is
     * @param why the nodes found and the rejected ones, with reasons, in one line for people
     */
    void waiting(int found, int wanted, String why);
}
