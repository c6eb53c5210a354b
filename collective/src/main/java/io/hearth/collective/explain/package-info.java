/**
 * Explains what a group would do with a sum of some size: algorithm, ways, predicted times, and why not otherwise. Pure: it makes the group's
 * decisions again from the measurements that a node knows, and changes nothing. Uses {@code group}, {@code schedule} and the root;
 * {@code agent} uses it.
 */
@NullMarked
package io.hearth.collective.explain;

import org.jspecify.annotations.NullMarked;
