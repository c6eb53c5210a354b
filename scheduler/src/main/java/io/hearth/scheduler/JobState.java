package io.hearth.scheduler;

/** How far a job is. */
public enum JobState implements Numbered {
    UNKNOWN(0),
    /** None of its nodes is here. */
    QUEUED(1),
    RUNNING(2),
    DONE(3),
    CANCELLED(4),
    FAILED(5);

    private final int number;

    JobState(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }

    /** Whether nothing follows. */
    public boolean isOver() {
        return this == DONE || this == CANCELLED || this == FAILED;
    }
}
