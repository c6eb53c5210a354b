/** What members tell one another of where they reach the others. */
@NullMarked
package io.hearth.discovery.gossip;

import org.jspecify.annotations.NullMarked;
