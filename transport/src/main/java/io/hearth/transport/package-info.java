/** Authenticated links and data streams: the API of this module. */
@NullMarked
package io.hearth.transport;

import org.jspecify.annotations.NullMarked;
