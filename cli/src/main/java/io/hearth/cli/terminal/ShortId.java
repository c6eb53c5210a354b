package io.hearth.cli.terminal;

/** The short text of a node's id: the last 8 characters of its machine's id, and its slot unless that is the agent's. */
public final class ShortId {
    private ShortId() {}

    /** Shortens the text of a node's id, as {@code status} and the reports of nodes have it. */
    public static String of(String nodeId) {
        int slash = nodeId.indexOf('/');
        String peer = slash < 0 ? nodeId : nodeId.substring(0, slash);
        String slot = slash < 0 ? "" : nodeId.substring(slash);
        return peer.substring(Math.max(0, peer.length() - 8)) + slot;
    }
}
