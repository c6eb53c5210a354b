/** Gradient codecs and error feedback. */
@NullMarked
package io.hearth.compression;

import org.jspecify.annotations.NullMarked;
