/**
 * Compression of gradients: strategies, which are settings, and the interfaces of codecs. The package uses the rooms {@code format} and
 * {@code text}. Every module above may use it.
 */
@NullMarked
package io.hearth.compression;

import org.jspecify.annotations.NullMarked;
