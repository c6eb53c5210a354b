/** Pure rules for mDNS packets and adverts: limits, proofs, whom to ask. */
@NullMarked
package io.hearth.discovery.mdns.machine;

import org.jspecify.annotations.NullMarked;
