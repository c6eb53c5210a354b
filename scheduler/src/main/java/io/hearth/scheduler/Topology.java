package io.hearth.scheduler;

/** How the nodes of a job work together. */
public enum Topology implements Numbered {
    UNKNOWN(0),
    PARAMETER_SERVER(1),
    ALL_REDUCE(2),
    HIERARCHICAL(3),
    FEDERATED_LEARNING(4),
    DATA_PARALLEL(5),
    MODEL_PARALLEL(6);

    private final int number;

    Topology(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
