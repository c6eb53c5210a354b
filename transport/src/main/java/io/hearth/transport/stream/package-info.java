/** Opens and accepts the data streams of a node: tickets, the data port, and the choice among the kinds of streams. */
@NullMarked
package io.hearth.transport.stream;

import org.jspecify.annotations.NullMarked;
