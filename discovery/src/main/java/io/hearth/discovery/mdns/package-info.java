/** mDNS on each network interface. Received messages are judged before they are used. */
@NullMarked
package io.hearth.discovery.mdns;

import org.jspecify.annotations.NullMarked;
