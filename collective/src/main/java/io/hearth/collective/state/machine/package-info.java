/** The distribution of a fetch over its sources, as a pure machine. */
@NullMarked
package io.hearth.collective.state.machine;

import org.jspecify.annotations.NullMarked;
