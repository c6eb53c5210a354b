/** The engine of one group member's collectives. Uses every room of collective but {@code ring}; {@code agent} uses it. */
@NullMarked
package io.hearth.collective.engine;

import org.jspecify.annotations.NullMarked;
