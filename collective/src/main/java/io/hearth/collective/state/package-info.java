/**
 * The shared state of a group's ranks, and its transfer to a rank that joins. Uses its room {@code machine}, {@code call}, {@code
 * exchange} with its room {@code watch}, {@code group} and the root; {@code simulation} uses it.
 */
@NullMarked
package io.hearth.collective.state;

import org.jspecify.annotations.NullMarked;
