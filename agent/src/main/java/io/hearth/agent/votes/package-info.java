/**
 * The voting records of a machine on its disk, and the thread that alone waits for that disk. Uses core, identity and the votes that
 * election decides; used by {@code io.hearth.agent}.
 */
@NullMarked
package io.hearth.agent.votes;

import org.jspecify.annotations.NullMarked;
