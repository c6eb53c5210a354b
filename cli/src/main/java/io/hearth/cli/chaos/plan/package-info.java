/** The pure part of {@code hearth chaos}: the schedule of its faults, and the judge of its events. */
@NullMarked
package io.hearth.cli.chaos.plan;

import org.jspecify.annotations.NullMarked;
