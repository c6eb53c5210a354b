/**
 * Opinions of this node: which peers and members it hears, which members should go, and whether a quorum is there. Uses {@code view.state},
 * {@code view.step} and the root; for {@code view} and its rooms {@code entry}, {@code lineage} and {@code ballot} only.
 */
@NullMarked
package io.hearth.election.view.opinion;

import org.jspecify.annotations.NullMarked;
