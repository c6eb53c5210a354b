/** Records of data streams: their keys and their encryption. */
@NullMarked
package io.hearth.transport.cipher;

import org.jspecify.annotations.NullMarked;
