package io.hearth.transport.stream;

import io.hearth.transport.control.Link;

/**
 * A peer's request for a stream.
 *
 * @param link over which it came
 * @param lanes that the dialler wants, at least 1
 */
record Asked(Link link, int lanes) {}
