/** The choice of a codec for a group's sums, as pure arithmetic on its members' measurements. */
@NullMarked
package io.hearth.collective.choice;

import org.jspecify.annotations.NullMarked;
