/** The graph of nodes and measured links, and the plan made from it. */
@NullMarked
package io.hearth.topology;

import org.jspecify.annotations.NullMarked;
