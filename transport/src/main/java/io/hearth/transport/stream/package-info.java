/** Data streams over TCP, and through shared memory between processes of one user. */
@NullMarked
package io.hearth.transport.stream;

import org.jspecify.annotations.NullMarked;
