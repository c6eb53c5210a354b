/**
 * The owner thread of a node: its events, their queue, the steps of its machines, and the order in which parts close. The room uses no other,
 * and no other module may use it.
 */
@NullMarked
package io.hearth.agent.loop;

import org.jspecify.annotations.NullMarked;
