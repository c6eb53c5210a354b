/** The graph of nodes and measured links. What is planned from it is in the room {@code plan}, which this package uses. */
@NullMarked
package io.hearth.topology;

import org.jspecify.annotations.NullMarked;
