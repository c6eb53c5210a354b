/** Point-to-point transfers between two ranks, beside the collectives. */
@NullMarked
package io.hearth.collective.pair;

import org.jspecify.annotations.NullMarked;
