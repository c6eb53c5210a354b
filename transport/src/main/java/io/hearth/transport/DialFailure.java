package io.hearth.transport;

import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;

/** The reason why a connection could not be made. */
public enum DialFailure {
    /** The machine answered, and no process listens at that port. */
    REFUSED,
    /** No answer, or no route. */
    UNREACHABLE,
    /** This node has reached its limit of dials in progress; the address was not dialled. */
    BUSY;

    /**
     * The failure by the exception's type alone, because its message is in the system's language. The kernel's own timeout is never
     * reached.
     */
    public static DialFailure of(Throwable cause) {
        return cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException) ? REFUSED : UNREACHABLE;
    }
}
