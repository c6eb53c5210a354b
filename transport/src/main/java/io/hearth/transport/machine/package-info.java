/** The decisions about links: the handshake, its messages, and the choice between two links. */
@NullMarked
package io.hearth.transport.machine;

import org.jspecify.annotations.NullMarked;
