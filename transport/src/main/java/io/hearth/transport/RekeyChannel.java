package io.hearth.transport;

import io.hearth.identity.PeerId;
import java.net.InetSocketAddress;

/**
 * A connection of two machines that have only a former secret in common, because one of them was away. It is no link: it lives for seconds,
 * and carries rosters and the new secret.
 */
public interface RekeyChannel {
    /** The machine at the other side, as TLS proved it. */
    PeerId peer();

    /** Address of the other side. */
    InetSocketAddress address();

    /** A number that is unique in this process. */
    long number();

    /**
     * Sends a message; lost if the connection is gone.
     *
     * @param kind {@value Frame#USER_MIN} to {@value Frame#KIND_MAX}
     * @param message at most {@value Frame#BYTES_MAX} bytes; copied
     */
    void send(int kind, byte[] message);

    /** Ends the connection. */
    void close(String why);

    /** Ends the connection because of a fault of the other side. At most one such line a minute is logged for people. */
    void refuse(String why);
}
