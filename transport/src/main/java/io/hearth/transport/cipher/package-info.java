/** Encryption of the records of data streams, and its keys. */
@NullMarked
package io.hearth.transport.cipher;

import org.jspecify.annotations.NullMarked;
