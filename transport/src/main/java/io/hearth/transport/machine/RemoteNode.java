package io.hearth.transport.machine;

import io.hearth.identity.roster.Common;
import io.hearth.transport.Endpoint;
import io.hearth.transport.cipher.RecordCipher;

/**
 * The other end of a connection whose handshake succeeded.
 *
 * @param endpoint identity as TLS proved it; slot, incarnation and boot id as its holder claims
 * @param linkPort port at which it claims that it can be dialled
 * @param dataPort port at which it accepts data streams; 0 if it accepts none
 * @param suite of data streams
 * @param dialed whether this node dialled it
 * @param dial the dialling side's counter; later dials of one process have larger ones
 * @param relayed whether a member passes the bytes on, because there is no direct way
 * @param common the secret by which it proved itself
 */
public record RemoteNode(
        Endpoint endpoint,
        int linkPort,
        int dataPort,
        RecordCipher.Suite suite,
        boolean dialed,
        long dial,
        boolean relayed,
        Common common) {
    /** A node that was reached directly and proved the current secret. */
    RemoteNode(Endpoint endpoint, int linkPort, int dataPort, RecordCipher.Suite suite, boolean dialed, long dial) {
        this(endpoint, linkPort, dataPort, suite, dialed, dial, false, Common.CURRENT);
    }

    /** Whether the connection is only for re-keying one of its ends. */
    public boolean isRekeyed() {
        return common != Common.CURRENT;
    }
}
