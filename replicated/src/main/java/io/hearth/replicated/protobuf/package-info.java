/** Encodings of messages, entries and records. Uses the root; {@code machine} uses it, and the shells around it. */
@NullMarked
package io.hearth.replicated.protobuf;

import org.jspecify.annotations.NullMarked;
