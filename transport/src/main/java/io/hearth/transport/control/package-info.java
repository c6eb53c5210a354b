/** Control links: who gets a connection, TLS, frames, and the table of links that are up. */
@NullMarked
package io.hearth.transport.control;

import org.jspecify.annotations.NullMarked;
