/** Which codec a group sums with, as pure arithmetic on what its members measured. */
@NullMarked
package io.hearth.collective.choice;

import org.jspecify.annotations.NullMarked;
