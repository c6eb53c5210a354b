/**
 * Rosters, removals and new secrets of a home in virtual time: the real machine, lost links, crashes, sleepers, partitions and a thief.
 *
 * <p>Uses {@code io.hearth.identity.roster} and its room {@code machine}; no other room of the simulation.
 */
@NullMarked
package io.hearth.simulation.roster;

import org.jspecify.annotations.NullMarked;
