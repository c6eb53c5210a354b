/** Reports between members of the addresses at which they reach the others. */
@NullMarked
package io.hearth.discovery.gossip;

import org.jspecify.annotations.NullMarked;
