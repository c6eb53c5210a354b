/**
 * The algorithms of collectives as pure arithmetic: the sends and receives of each position, in order. One engine plays them all. Uses no
 * other room; for collective only.
 */
@NullMarked
package io.hearth.collective.schedule;

import org.jspecify.annotations.NullMarked;
