package io.hearth.core;

/** A collective did not complete before its deadline, and this member leaves its group. After a send or receive it stays in the group. */
public sealed class DeadlineExceededException extends ReenterableException permits NotEnoughRanksException {
    private static final long serialVersionUID = 1L;

    public DeadlineExceededException(String message) {
        super(message);
    }

    public DeadlineExceededException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 4;
    }
}
