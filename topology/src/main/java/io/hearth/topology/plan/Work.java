package io.hearth.topology.plan;

/** Budget of steps for searches, so that planning takes a bounded time on any matrix. Clocks would make plans differ between machines. */
final class Work {
    private long steps;
    private long limit;

    /** Work of which the next part may take this number of steps. */
    Work(long limit) {
        this.limit = limit;
    }

    /** Allows this number of further steps from here on; what was left of the former budget is lost. */
    void allow(long more) {
        limit = steps + more;
    }

    void spend(long more) {
        steps += more;
    }

    boolean isLeft() {
        return steps < limit;
    }

    /** All steps so far. */
    long steps() {
        return steps;
    }
}
