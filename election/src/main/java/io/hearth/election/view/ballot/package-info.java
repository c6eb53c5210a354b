/**
 * Ballots about the next view: why and when one begins, its proposer, its acceptors, and the view that it proposes. Uses {@code view.state},
 * {@code view.step}, {@code view.opinion}, {@code view.entry}, {@code view.lineage}, {@code vote} and the root; for {@code view} only.
 */
@NullMarked
package io.hearth.election.view.ballot;

import org.jspecify.annotations.NullMarked;
