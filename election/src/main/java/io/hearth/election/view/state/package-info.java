/**
 * The data of the view change: the state of its machine with all parts, its events and effects, and which states can occur together. Uses
 * {@code vote} and the root; all other rooms of the view change use it, and so do {@code agent} and {@code simulation}.
 */
@NullMarked
package io.hearth.election.view.state;

import org.jspecify.annotations.NullMarked;
