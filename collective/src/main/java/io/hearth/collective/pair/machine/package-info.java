/** The protocol of transfers between two ranks, as pure machines. */
@NullMarked
package io.hearth.collective.pair.machine;

import org.jspecify.annotations.NullMarked;
