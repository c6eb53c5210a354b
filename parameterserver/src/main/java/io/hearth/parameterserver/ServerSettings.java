package io.hearth.parameterserver;

/**
 * How a parameter server works.
 *
 * @param parts into which the parameters fall, each served by one machine; the first start of a cluster decides, 1 to 256
 * @param isSynchronous whether an update waits for the gradients of all registered trainers
 * @param checkpointNanos between checkpoints of parts that changed
 * @param giveUpNanos after which a part whose copies are all out of reach begins again from the newest checkpoint
 */
public record ServerSettings(int parts, boolean isSynchronous, long checkpointNanos, long giveUpNanos) {
    /** Upper bound of {@code parts}. */
    public static final int PARTS_MAX = 256;

    private static final long SECOND = 1_000_000_000L;

    /** One part for each of a few machines, asynchronous, a checkpoint in ten seconds. */
    public static final ServerSettings DEFAULT = new ServerSettings(8, false, 10 * SECOND, 60 * SECOND);

    public ServerSettings {
        if (parts < 1 || parts > PARTS_MAX) {
            throw new IllegalArgumentException("a server has 1 to " + PARTS_MAX + " parts, got " + parts);
        }
        if (checkpointNanos < SECOND / 1_000 || giveUpNanos < SECOND / 1_000) {
            throw new IllegalArgumentException(
                    "the time between checkpoints and the time to give up are at least 1 ms, got " + checkpointNanos
                            + " ns and " + giveUpNanos + " ns");
        }
    }

    /** In words, what has to be the same on all machines: {@code sync-updates=false}. */
    public String text() {
        return "sync-updates=" + isSynchronous;
    }
}
