/** Which engine a node uses: what the machine has, what was measured, what was asked for. */
@NullMarked
package io.hearth.accel.select;

import org.jspecify.annotations.NullMarked;
