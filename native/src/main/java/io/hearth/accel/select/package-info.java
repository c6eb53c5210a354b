/** The choice of a node's engine: by the machine, by measurements, and by options. */
@NullMarked
package io.hearth.accel.select;

import org.jspecify.annotations.NullMarked;
