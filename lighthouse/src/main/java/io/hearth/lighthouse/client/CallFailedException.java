package io.hearth.lighthouse.client;

import io.hearth.core.HearthException;
import io.hearth.serve.Failure;

/** A lighthouse or a manager refused a call, or was not reached. The message says what to do. */
public sealed class CallFailedException extends HearthException permits CallTimedOutException {
    private static final long serialVersionUID = 1L;

    private final Failure.Code code;
    private final String text;

    CallFailedException(Failure failure, Throwable cause) {
        super(failure.text(), cause);
        this.code = failure.code();
        this.text = failure.text();
    }

    /** The one that was thrown on another thread, for this one. */
    static CallFailedException again(CallFailedException first) {
        return first instanceof CallTimedOutException
                ? new CallTimedOutException(first.failure(), first)
                : new CallFailedException(first.failure(), first);
    }

    /** The code of gRPC, with the message. */
    public final Failure failure() {
        return new Failure(code, text);
    }
}
