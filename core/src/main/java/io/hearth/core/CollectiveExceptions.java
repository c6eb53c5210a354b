package io.hearth.core;

/** Copies exceptions, with their type. */
public final class CollectiveExceptions {
    private CollectiveExceptions() {}

    /** A new exception of the same type as {@code why}, so that each call that ends for the same reason gets its own. */
    public static CollectiveException again(HearthException why) {
        String text = String.valueOf(why.getMessage());
        return switch (why) {
            case RemovedFromClusterException _ -> new RemovedFromClusterException(text, why);
            case LineageLostException _ -> new LineageLostException(text, why);
            case LeftGroupException _ -> new LeftGroupException(text, why);
            case RootLostException _ -> new RootLostException(text, why);
            case PeerLostException _ -> new PeerLostException(text, why);
            default -> new CollectiveException(text, why);
        };
    }
}
