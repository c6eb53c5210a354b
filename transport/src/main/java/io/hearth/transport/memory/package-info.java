/** Streams through memory that two processes of one user share. */
@NullMarked
package io.hearth.transport.memory;

import org.jspecify.annotations.NullMarked;
