/** The engine behind the collectives of one member of one group. */
@NullMarked
package io.hearth.collective.engine;

import org.jspecify.annotations.NullMarked;
