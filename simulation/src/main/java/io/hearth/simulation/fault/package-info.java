/**
 * Faults of processes, disks, links, whole networks and namespaces, injected into a cluster.
 *
 * <p>Uses {@code cluster} and the rooms that it uses. No other module uses it.
 */
@NullMarked
package io.hearth.simulation.fault;

import org.jspecify.annotations.NullMarked;
