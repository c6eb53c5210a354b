/**
 * The choice of a codec for a group's sums, as pure arithmetic on its members' measurements. Uses no other room; for the rooms of
 * collective only.
 */
@NullMarked
package io.hearth.collective.choice;

import org.jspecify.annotations.NullMarked;
