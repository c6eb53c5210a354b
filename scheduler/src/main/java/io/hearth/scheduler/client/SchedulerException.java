package io.hearth.scheduler.client;

import io.hearth.serve.Failure;

/** The scheduler refused a call, or was not reached. The message is for people: what, why, what to do. */
public final class SchedulerException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Failure.Code code;

    SchedulerException(Failure.Code code, String text, Throwable cause) {
        super(text, cause);
        this.code = code;
    }

    /** What kind of failure it is; after UNAVAILABLE the same call may be repeated. */
    public Failure.Code code() {
        return code;
    }
}
