/** What the scheduler of training jobs speaks of: nodes, jobs, shards, progress and messages; pure. */
@NullMarked
package io.hearth.scheduler;

import org.jspecify.annotations.NullMarked;
