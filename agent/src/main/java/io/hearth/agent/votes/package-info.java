/**
 * The voting records of a machine on its disk, and the only thread that waits for that disk. Uses core, identity and election; {@code
 * io.hearth.agent} uses it.
 */
@NullMarked
package io.hearth.agent.votes;

import org.jspecify.annotations.NullMarked;
