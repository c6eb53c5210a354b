package io.hearth.transport.machine;

import io.hearth.identity.roster.Common;
import io.hearth.transport.Endpoint;
import io.hearth.transport.cipher.RecordCipher;
import java.util.Optional;

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
 * @param replaces the link that fell silent at the dialling side, and that this connection shall replace
 */
public record RemoteNode(
        Endpoint endpoint,
        int linkPort,
        int dataPort,
        RecordCipher.Suite suite,
        boolean dialed,
        long dial,
        boolean relayed,
        Common common,
        Optional<LinkName> replaces) {
    /** A node that was reached directly and proved the current secret. */
    RemoteNode(Endpoint endpoint, int linkPort, int dataPort, RecordCipher.Suite suite, boolean dialed, long dial) {
        this(endpoint, linkPort, dataPort, suite, dialed, dial, false, Common.CURRENT, Optional.empty());
    }

    /** Names the connection; empty if the dialling side does not count its dials. */
    public Optional<LinkName> name() {
        return dial > 0 ? Optional.of(new LinkName(dialed, dial)) : Optional.empty();
    }

    /** Whether the dialling side made this connection because that one fell silent. */
    boolean replaces(RemoteNode held) {
        return replaces.isPresent() && replaces.equals(held.name());
    }

    /** Whether the connection is only for re-keying one of its ends. */
    public boolean isRekeyed() {
        return common != Common.CURRENT;
    }
}
