/** The decisions that a group's members share, as a pure machine: numbers of calls, losses of members, and the outcome of each call. */
@NullMarked
package io.hearth.collective.group;

import org.jspecify.annotations.NullMarked;
