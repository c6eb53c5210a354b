package io.hearth.parameterserver.client;

import io.grpc.Status;
import io.hearth.serve.grpc.StatusText;

/** A call that the servers did not carry out; its message says what to do. */
public final class ParameterServerException extends Exception {
    private static final long serialVersionUID = 1;

    private final Status.Code code;

    ParameterServerException(Status status, Throwable cause) {
        this(status.getCode(), StatusText.of(status), cause);
    }

    ParameterServerException(Status.Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** The code of gRPC. */
    public Status.Code code() {
        return code;
    }
}
