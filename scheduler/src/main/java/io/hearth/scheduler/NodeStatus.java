package io.hearth.scheduler;

/** How a node is. */
public enum NodeStatus implements Numbered {
    /** Not heard yet by the machine that answers now. */
    UNKNOWN(0),
    HEALTHY(1),
    /** Its load is high. */
    BUSY(2),
    /** Its load is too high. */
    OVERLOADED(3),
    /** It says so, another node says so, or it is late. */
    UNHEALTHY(4),
    /** Silent for too long; its shards went to others. */
    OFFLINE(5);

    private final int number;

    NodeStatus(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
