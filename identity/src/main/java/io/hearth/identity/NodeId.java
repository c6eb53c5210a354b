package io.hearth.identity;

import java.util.regex.Pattern;

/**
 * The id of a node: a machine's identity and the slot that the process holds on that machine.
 *
 * <p>Text form: {@code <peer id>/<slot>}, without the slot for {@code agent}.
 *
 * @param peer the machine
 * @param slot {@code agent}, {@code wait}, or {@code trainer-N}; {@code [a-z0-9-]}, 1 to 32 characters
 */
public record NodeId(PeerId peer, String slot) implements Comparable<NodeId> {
    /** The slot of the always-on node of a machine. */
    public static final String AGENT = "agent";

    private static final Pattern SLOT = Pattern.compile("[a-z0-9-]{1,32}");

    public NodeId {
        if (!SLOT.matcher(slot).matches()) {
            throw new IllegalArgumentException(
                    "a slot must be 1 to 32 characters of a-z, 0-9 and '-', got " + slot.length() + " characters");
        }
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if {@code text} is not a node id
     */
    public static NodeId parse(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? new NodeId(PeerId.parse(text), AGENT)
                : new NodeId(PeerId.parse(text.substring(0, slash)), text.substring(slash + 1));
    }

    /** The full text form. */
    public String text() {
        return slot.equals(AGENT) ? peer.text() : peer.text() + "/" + slot;
    }

    /** For people and logs: the short peer id, and the slot unless it is the agent. */
    public String shortText() {
        return slot.equals(AGENT) ? peer.shortText() : peer.shortText() + "/" + slot;
    }

    /** By the machine's key, then by slot: the same order on all machines. */
    @Override
    public int compareTo(NodeId other) {
        int byMachine = peer.compareTo(other.peer);
        return byMachine != 0 ? byMachine : slot.compareTo(other.slot);
    }

    @Override
    public String toString() {
        return text();
    }
}
