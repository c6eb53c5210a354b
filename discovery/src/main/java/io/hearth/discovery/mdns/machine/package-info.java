/** Pure rules for mDNS packets and adverts: rate limits, tags, and the judge of received messages. */
@NullMarked
package io.hearth.discovery.mdns.machine;

import org.jspecify.annotations.NullMarked;
