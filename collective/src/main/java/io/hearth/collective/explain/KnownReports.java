package io.hearth.collective.explain;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.LinkReport;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** The reports of links that the members of a group would plan from, as a topology holds them. */
final class KnownReports {
    private KnownReports() {}

    /**
     * The report of each member that measured or reported at least one link.
     *
     * @param members whose reports count; their links to other nodes are left out
     */
    static SortedMap<NodeId, LinkReport> of(Collection<NodeId> members, ClusterTopology topology) {
        SortedMap<NodeId, LinkReport> reports = new TreeMap<>();
        for (NodeId member : members) {
            if (topology.profile(member).isEmpty() || topology.graph().outDegreeOf(member) == 0) {
                continue;
            }
            SortedMap<NodeId, LinkReport.Measured> links = new TreeMap<>();
            for (NodeId other : members) {
                topology.link(member, other)
                        .filter(_ -> links.size() < LinkReport.LINKS_MAX)
                        .ifPresent(link -> links.put(other, measured(link, topology.link(other, member))));
            }
            reports.put(member, new LinkReport(Collections.unmodifiableSortedMap(links)));
        }
        return reports;
    }

    private static LinkReport.Measured measured(ConnectionProfile out, Optional<ConnectionProfile> in) {
        return new LinkReport.Measured(
                Math.min(out.roundTripNanos(), LinkReport.ROUND_TRIP_NANOS_MAX), rate(Optional.of(out)), rate(in));
    }

    private static long rate(Optional<ConnectionProfile> link) {
        return Math.min(
                link.map(ConnectionProfile::bytesPerSecond)
                        .orElse(OptionalLong.empty())
                        .orElse(0),
                LinkReport.BYTES_PER_SECOND_MAX);
    }
}
