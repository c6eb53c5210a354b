package io.hearth.replicated.machine;

import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import java.util.List;

/** The view in which this node lives, and since when. */
record Sight(Lineage lineage, long epoch, List<NodeId> members, long sinceNanos) {}
