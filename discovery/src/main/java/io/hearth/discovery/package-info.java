/** Sources of peers: mDNS, static and remembered addresses, the nodes of the same home. */
@NullMarked
package io.hearth.discovery;

import org.jspecify.annotations.NullMarked;
