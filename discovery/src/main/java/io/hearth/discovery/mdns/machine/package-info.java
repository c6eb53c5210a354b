/** What decides about packets and adverts of mDNS. */
@NullMarked
package io.hearth.discovery.mdns.machine;

import org.jspecify.annotations.NullMarked;
