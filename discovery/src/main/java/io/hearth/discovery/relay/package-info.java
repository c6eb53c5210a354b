/** Which nodes to reach through a third one, when, and through which one. Pure. */
@NullMarked
package io.hearth.discovery.relay;

import org.jspecify.annotations.NullMarked;
