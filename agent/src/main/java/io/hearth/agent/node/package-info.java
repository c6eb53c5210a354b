/**
 * The work of a node's owner thread: passes each event to the parts that it concerns, and builds the status. The room uses all others but
 * {@code api}, {@code votes} and {@code pairing}; no other module may use it.
 */
@NullMarked
package io.hearth.agent.node;

import org.jspecify.annotations.NullMarked;
