/** Which parts of the state are fetched from whom, as a pure machine. */
@NullMarked
package io.hearth.collective.state.machine;

import org.jspecify.annotations.NullMarked;
