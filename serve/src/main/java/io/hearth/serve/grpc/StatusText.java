package io.hearth.serve.grpc;

import io.grpc.Status;
import io.netty.handler.ssl.NotSslRecordException;

/** The reason for which a call failed, in one line for people. */
public final class StatusText {
    private static final int REASON_MAX = 300;
    private static final String CLOSED = "Network closed for unknown reason"; // gRPC's text

    private StatusText() {}

    /** Whether a call failed by its connection, and not by an answer. */
    public static boolean isOfConnection(Status status) {
        return status.getCode() == Status.Code.UNAVAILABLE
                && (status.getCause() != null || CLOSED.equals(status.getDescription()));
    }

    /** The description's first line and, of a connection that failed, what broke: {@code io exception (Connection refused)}. */
    public static String of(Status status) {
        String description = status.getDescription();
        String text = description == null
                ? status.getCode().toString()
                : description.lines().findFirst().orElse("");
        Throwable cause = status.getCause();
        if (cause == null) {
            return text;
        }
        Throwable root = cause;
        for (Throwable next = root.getCause(); next != null; next = root.getCause()) {
            root = next;
        }
        return text + " (" + why(root) + ")";
    }

    private static String why(Throwable root) {
        if (root instanceof NotSslRecordException) {
            return "the other side does not use TLS"; // Netty's text has all bytes that came
        }
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return message.length() <= REASON_MAX ? message : message.substring(0, REASON_MAX) + "...";
    }
}
