/** Who sends what to whom in which order: the algorithms of collectives as pure arithmetic, played by one engine. */
@NullMarked
package io.hearth.collective.schedule;

import org.jspecify.annotations.NullMarked;
