/**
 * Peers that a person named: literals, names of hosts, and names of DNS and Kubernetes. The threads and sockets around the machine that
 * schedules lookups.
 */
@NullMarked
package io.hearth.discovery.names;

import org.jspecify.annotations.NullMarked;
