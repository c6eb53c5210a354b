/**
 * The status of a node as one immutable value, and a holder of its newest version on which threads can wait. The room uses no other;
 * {@code cli} may use it.
 */
@NullMarked
package io.hearth.agent.status;

import org.jspecify.annotations.NullMarked;
