package io.hearth.election.health;

import io.hearth.identity.NodeId;

/** A change of a peer's status, for observers. */
public sealed interface HealthEvent {
    NodeId node();

    record BecameHealthy(NodeId node) implements HealthEvent {}

    record BecameDegraded(NodeId node, String why) implements HealthEvent {}

    record BecameUnhealthy(NodeId node, String why) implements HealthEvent {}

    /** Nothing is kept of the peer any more. */
    record Removed(NodeId node) implements HealthEvent {}
}
