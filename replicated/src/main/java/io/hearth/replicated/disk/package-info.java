/** The file of a replica and the thread that waits for it. Uses the root and {@code protobuf}; {@code agent} uses it. */
@NullMarked
package io.hearth.replicated.disk;

import org.jspecify.annotations.NullMarked;
