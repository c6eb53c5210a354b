package io.hearth.core;

/**
 * A start, a step or a collective waited for ranks until its deadline: fewer were there than {@code minimumRanks} asks for, or more than
 * {@code maximumRanks} allows, or the group was at work without this rank. The message says which, and how many there were.
 */
public final class NotEnoughRanksException extends DeadlineExceededException {
    private static final long serialVersionUID = 1L;

    public NotEnoughRanksException(String message) {
        super(message);
    }

    public NotEnoughRanksException(String message, Throwable cause) {
        super(message, cause);
    }
}
