package io.hearth.transport;

import java.util.List;

/**
 * The other end of a connection whose handshake succeeded.
 *
 * @param endpoint identity as TLS proved it; slot, incarnation and boot id as its holder says
 * @param linkPort where it says that it can be dialled
 * @param dataPort where it accepts data streams; 0 if it accepts none
 * @param features that both sides have
 * @param dialed whether this node dialled it
 * @param dial the dialling side's counter; later dials of one process have larger ones
 */
record RemoteNode(Endpoint endpoint, int linkPort, int dataPort, List<String> features, boolean dialed, long dial) {
    RemoteNode {
        features = List.copyOf(features);
    }
}
