/** What decides about links: the handshake, its messages, and which of two links stays. */
@NullMarked
package io.hearth.transport.machine;

import org.jspecify.annotations.NullMarked;
