/** The shared state of a group's ranks, and its transfer to a rank that joins. */
@NullMarked
package io.hearth.collective.state;

import org.jspecify.annotations.NullMarked;
