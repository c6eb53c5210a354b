/** A backend with a fixed list of nodes, without discovery or a cluster. */
@NullMarked
package io.hearth.collective.ring;

import org.jspecify.annotations.NullMarked;
