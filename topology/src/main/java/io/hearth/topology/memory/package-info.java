/** Measurements of links that outlive a link and a process, and their text in a file. Pure. {@code agent} may use it. */
@NullMarked
package io.hearth.topology.memory;

import org.jspecify.annotations.NullMarked;
