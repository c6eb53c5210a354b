/** What {@code hearth chaos} does when, and what it makes of what it saw. */
@NullMarked
package io.hearth.cli.chaos.plan;

import org.jspecify.annotations.NullMarked;
