/**
 * One call of the application: its signature and memory, and the interface that each kind of call implements. Uses {@code exchange} with
 * its room {@code watch}, {@code group}, {@code schedule} and the root; for the rooms of collective only.
 */
@NullMarked
package io.hearth.collective.call;

import org.jspecify.annotations.NullMarked;
