/**
 * The lineage in which this node lives: it learns views, founds, joins, gives up and leaves, and queues what has to be written for that.
 * Uses {@code view.state}, {@code view.step}, {@code view.opinion}, {@code view.entry}, {@code vote} and the root; for {@code view} and its
 * room {@code ballot} only.
 */
@NullMarked
package io.hearth.election.view.lineage;

import org.jspecify.annotations.NullMarked;
