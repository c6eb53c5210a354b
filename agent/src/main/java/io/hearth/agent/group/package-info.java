/**
 * Membership and collectives of a node: carries out the effects of the view change, and exchanges notes with the trainers of a group. The
 * room uses {@code group.machine}, {@code loop}, {@code status} and {@code votes}; no other module may use it.
 */
@NullMarked
package io.hearth.agent.group;

import org.jspecify.annotations.NullMarked;
