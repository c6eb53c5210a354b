/**
 * Nodes that want to enter, lineages that are better than this one, and the step of a training that waits for either. Uses {@code
 * view.state}, {@code view.step}, {@code view.opinion} and the root; for {@code view} and its rooms {@code lineage} and {@code ballot} only.
 */
@NullMarked
package io.hearth.election.view.entry;

import org.jspecify.annotations.NullMarked;
