/** Which name is looked up when, and what follows from the answers. */
@NullMarked
package io.hearth.discovery.names.machine;

import org.jspecify.annotations.NullMarked;
