/** The C and C++ compilers of this machine, and the stand-in for Metal that they make. For tests and measurements: a node works without. */
@NullMarked
package io.hearth.standin;

import org.jspecify.annotations.NullMarked;
