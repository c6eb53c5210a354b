/** The scheduler's rules, each by itself: shards, scores, placement, prefetching, stragglers, rates; pure. */
@NullMarked
package io.hearth.scheduler.rule;

import org.jspecify.annotations.NullMarked;
