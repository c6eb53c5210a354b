package io.hearth.scheduler;

/** What a node does in distributed training. */
public enum NodeRole implements Numbered {
    UNKNOWN(0),
    PARAMETER_SERVER(1),
    WORKER(2),
    /** The worker that coordinates. */
    CHIEF(3),
    EVALUATOR(4),
    /** A participant of all-reduce. */
    ALL_REDUCE(5),
    MASTER(6);

    private final int number;

    NodeRole(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
