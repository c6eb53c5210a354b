/**
 * Which way a collective should take through a measured network: the order of a ring, the shares of a direct sum, islands with a leader
 * each. It decides by ranks and numbers alone, and is pure: the same matrix gives the same plan, bit by bit, on every machine. It uses no
 * other package of its module; the root package uses it.
 */
@NullMarked
package io.hearth.topology.plan;

import org.jspecify.annotations.NullMarked;
