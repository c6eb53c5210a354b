/**
 * Codecs: makes the codec of a strategy. The room uses the root, {@code block} and {@code sparse}. Other modules may use it.
 */
@NullMarked
package io.hearth.compression.codecs;

import org.jspecify.annotations.NullMarked;
