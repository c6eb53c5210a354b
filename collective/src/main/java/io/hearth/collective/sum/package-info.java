/**
 * The collectives of plain values, and the plan of each sum: plain, in place or compressed. Uses {@code compressed} below it, {@code
 * call}, {@code choice}, {@code exchange}, {@code group}, {@code schedule} and the root; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.sum;

import org.jspecify.annotations.NullMarked;
