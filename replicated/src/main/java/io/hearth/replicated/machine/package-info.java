/** The machine of a replica, pure. Uses the root and {@code protobuf}; services and {@code simulation} use it. */
@NullMarked
package io.hearth.replicated.machine;

import org.jspecify.annotations.NullMarked;
