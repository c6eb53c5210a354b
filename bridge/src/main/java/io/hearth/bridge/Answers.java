package io.hearth.bridge;

import io.hearth.core.HearthException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the result of a function into the number that its caller gets: 0 or more is the answer, less is an error. No exception leaves a
 * function, because it would end the process. The text of an error belongs to the thread that got it, as C's {@code errno} does.
 */
final class Answers {
    /** The work has not ended yet; not an error. */
    static final long NOT_YET = -128;

    static final int INVALID_ARGUMENT = 64;
    static final int WRONG_STATE = 65;
    static final int INTERRUPTED = 66;
    static final int OUT_OF_MEMORY = 67;
    static final int INTERNAL = 68;

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);
    private static final ThreadLocal<String> LAST_ERROR = ThreadLocal.withInitial(() -> "");

    private Answers() {}

    /** The body of a function. */
    @FunctionalInterface
    interface Body {
        long run() throws Exception;
    }

    /** Runs a body; its error becomes a negative number and this thread's text. */
    static long of(Body body) {
        try {
            return body.run();
        } catch (Throwable failed) { // also errors: none may leave an upcall
            return failure(failed);
        }
    }

    /** The text of this thread's last error; empty if there was none. */
    static String lastError() {
        return LAST_ERROR.get();
    }

    /** The negative number of an error, whose text becomes this thread's. */
    static long failure(Throwable failed) {
        Throwable cause = failed;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        int number = number(cause);
        if (number == INTERNAL) {
            LOG.error("a function of the bridge failed", cause);
        }
        String text = cause.getMessage();
        LAST_ERROR.set(number == INTERNAL || text == null ? cause.toString() : text);
        return -number;
    }

    private static int number(Throwable cause) {
        return switch (cause) {
            case HearthException known -> known.number();
            case IllegalArgumentException _, IndexOutOfBoundsException _ -> INVALID_ARGUMENT;
            case IllegalStateException _ -> WRONG_STATE;
            case InterruptedException _ -> INTERRUPTED;
            case OutOfMemoryError _ -> OUT_OF_MEMORY;
            default -> INTERNAL;
        };
    }
}
