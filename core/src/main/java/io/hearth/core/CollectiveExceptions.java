package io.hearth.core;

/** Makes exceptions of the same type as others. */
public final class CollectiveExceptions {
    private CollectiveExceptions() {}

    /** A new exception of the same type as {@code why}: one for each call that meets the same end. */
    public static CollectiveException again(HearthException why) {
        String text = String.valueOf(why.getMessage());
        return switch (why) {
            case RemovedFromClusterException _ -> new RemovedFromClusterException(text, why);
            case LineageLostException _ -> new LineageLostException(text, why);
            case LeftGroupException _ -> new LeftGroupException(text, why);
            case PeerLostException _ -> new PeerLostException(text, why);
            default -> new CollectiveException(text, why);
        };
    }
}
