package io.hearth.core;

/**
 * A start, a step or a collective waited for ranks until its deadline. There were fewer than {@code minimumRanks}, or more than
 * {@code maximumRanks}, or the group trained without this rank. The message names the cause and the number of ranks.
 */
public final class NotEnoughRanksException extends DeadlineExceededException {
    private static final long serialVersionUID = 1L;

    public NotEnoughRanksException(String message) {
        super(message);
    }

    public NotEnoughRanksException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 9;
    }
}
