/** The whole transport of a node or of a pairing. */
@NullMarked
package io.hearth.transport.links;

import org.jspecify.annotations.NullMarked;
