/**
 * The decisions that a group's members share, as a pure machine: numbers of calls, losses of members, and the outcome of each call. Uses
 * {@code schedule} and the root; {@code agent} and {@code simulation} use it.
 */
@NullMarked
package io.hearth.collective.group;

import org.jspecify.annotations.NullMarked;
