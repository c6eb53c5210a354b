/**
 * Connections through a third node, for two nodes that cannot reach each other. The third node passes bytes on; TLS and the records of data
 * streams run between the two ends, so it can read and forge nothing.
 */
@NullMarked
package io.hearth.transport.relay;

import org.jspecify.annotations.NullMarked;
