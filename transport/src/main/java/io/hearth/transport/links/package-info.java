/** The complete transport of a node, and that of a pairing. */
@NullMarked
package io.hearth.transport.links;

import org.jspecify.annotations.NullMarked;
