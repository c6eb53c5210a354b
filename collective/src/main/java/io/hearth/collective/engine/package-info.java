/** The engine of one group member's collectives. */
@NullMarked
package io.hearth.collective.engine;

import org.jspecify.annotations.NullMarked;
