/**
 * Shared parts of all encodings: access to float32 memory, the header, and the ranges of settings. The room uses no other; no other module
 * may use it.
 */
@NullMarked
package io.hearth.compression.format;

import org.jspecify.annotations.NullMarked;
