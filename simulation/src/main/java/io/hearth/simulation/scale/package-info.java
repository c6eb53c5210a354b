/**
 * How the design grows: plans, predicted and played times of sums, views, joins and losses on generated networks of up to 1,024 nodes. The
 * product's own planner, schedules, view machine and encodings run in virtual time.
 */
@NullMarked
package io.hearth.simulation.scale;

import org.jspecify.annotations.NullMarked;
