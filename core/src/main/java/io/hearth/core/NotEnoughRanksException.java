package io.hearth.core;

/**
 * A step or a collective waited for more ranks until its deadline: fewer were there than {@code minimumRanks} asks for. The message
 * says how many there were and who was lost.
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
