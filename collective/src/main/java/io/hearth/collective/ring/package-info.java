/**
 * A backend with a fixed list of nodes, without discovery or a cluster. Uses {@code engine} and the root; {@code bench} and {@code cli}
 * use it.
 */
@NullMarked
package io.hearth.collective.ring;

import org.jspecify.annotations.NullMarked;
