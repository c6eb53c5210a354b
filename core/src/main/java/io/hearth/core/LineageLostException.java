package io.hearth.core;

/**
 * Too many machines of this node's cluster lost their right to vote, so its membership cannot continue. The node starts a new lineage
 * alone, and joins the peers that it hears.
 */
public final class LineageLostException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public LineageLostException(String message) {
        super(message);
    }

    public LineageLostException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 6;
    }
}
