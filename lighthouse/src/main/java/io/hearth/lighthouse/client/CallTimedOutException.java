package io.hearth.lighthouse.client;

import io.hearth.serve.Failure;

/** The answer did not come in the time that the caller gave: a rank or a replica is missing, say. */
public final class CallTimedOutException extends CallFailedException {
    private static final long serialVersionUID = 1L;

    CallTimedOutException(Failure failure, Throwable cause) {
        super(failure, cause);
    }
}
