/** A stream of encrypted records over one connection, and what all kinds of streams share. */
@NullMarked
package io.hearth.transport.record;

import org.jspecify.annotations.NullMarked;
