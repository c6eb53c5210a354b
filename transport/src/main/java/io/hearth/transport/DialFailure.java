package io.hearth.transport;

import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;

/** Why a connection could not be made. */
public enum DialFailure {
    /** The machine answered, and nothing listens at that port. */
    REFUSED,
    /** No answer, or no way there. */
    UNREACHABLE,
    /** This node is making as many connections as it may; nothing is known of the address. */
    BUSY;

    /** By the type alone, because the words are those of the system's language. A time limit of the kernel is never reached. */
    public static DialFailure of(Throwable cause) {
        return cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException) ? REFUSED : UNREACHABLE;
    }
}
