/** mDNS on each network interface, with what it hears judged before it is believed. */
@NullMarked
package io.hearth.discovery.mdns;

import org.jspecify.annotations.NullMarked;
