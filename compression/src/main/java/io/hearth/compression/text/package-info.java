/** The grammar of a codec's settings as text. The room uses no other, and no other module may use it. */
@NullMarked
package io.hearth.compression.text;

import org.jspecify.annotations.NullMarked;
