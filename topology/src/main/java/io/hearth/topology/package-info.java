/** The graph of nodes and measured links, and the ring order planned from it. */
@NullMarked
package io.hearth.topology;

import org.jspecify.annotations.NullMarked;
