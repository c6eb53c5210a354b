/** Sending from one rank to another, beside the collectives. */
@NullMarked
package io.hearth.collective.pair;

import org.jspecify.annotations.NullMarked;
