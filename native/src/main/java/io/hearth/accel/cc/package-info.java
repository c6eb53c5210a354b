/** The machine's own C compiler, for measurements and for the stand-in of Metal; Hearth works without one. */
@NullMarked
package io.hearth.accel.cc;

import org.jspecify.annotations.NullMarked;
