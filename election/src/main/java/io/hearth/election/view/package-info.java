/**
 * The view change: its machine, the rules about lost quorums, pauses and machines without a vote, and explanations for people. Uses its
 * rooms {@code state}, {@code step}, {@code opinion}, {@code entry}, {@code lineage} and {@code ballot}, {@code vote} and the root; {@code
 * agent} and {@code simulation} use it.
 */
@NullMarked
package io.hearth.election.view;

import org.jspecify.annotations.NullMarked;
