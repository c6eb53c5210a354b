/** Which progress is reported when, as a pure machine. */
@NullMarked
package io.hearth.collective.exchange.machine;

import org.jspecify.annotations.NullMarked;
