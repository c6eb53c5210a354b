package io.hearth.transport;

/**
 * The other end of a connection whose handshake succeeded.
 *
 * @param endpoint identity as TLS proved it; slot, incarnation and boot id as its holder says
 * @param linkPort where it says that it can be dialled
 * @param dataPort where it accepts data streams; 0 if it accepts none
 * @param suite of data streams
 * @param dialed whether this node dialled it
 * @param dial the dialling side's counter; later dials of one process have larger ones
 */
record RemoteNode(Endpoint endpoint, int linkPort, int dataPort, RecordCipher.Suite suite, boolean dialed, long dial) {}
