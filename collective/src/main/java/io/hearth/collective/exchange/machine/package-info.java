/** Decides when progress is reported, as a pure machine. */
@NullMarked
package io.hearth.collective.exchange.machine;

import org.jspecify.annotations.NullMarked;
