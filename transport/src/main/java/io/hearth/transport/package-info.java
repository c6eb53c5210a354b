/** Authenticated links and data streams. */
@NullMarked
package io.hearth.transport;

import org.jspecify.annotations.NullMarked;
