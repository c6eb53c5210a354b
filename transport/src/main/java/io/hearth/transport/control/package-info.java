/** Control links: admission of connections, TLS, frames, and the table of admitted links. */
@NullMarked
package io.hearth.transport.control;

import org.jspecify.annotations.NullMarked;
