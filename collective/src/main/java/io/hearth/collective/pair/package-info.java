/**
 * Point-to-point transfers between two ranks, beside the collectives. Uses its room {@code machine}, {@code exchange}, {@code group} and
 * {@code state}; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.pair;

import org.jspecify.annotations.NullMarked;
