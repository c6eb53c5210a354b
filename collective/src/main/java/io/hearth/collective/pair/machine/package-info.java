/** The order of records between two ranks, as two pure machines. Uses {@code group}; {@code simulation} uses it. */
@NullMarked
package io.hearth.collective.pair.machine;

import org.jspecify.annotations.NullMarked;
