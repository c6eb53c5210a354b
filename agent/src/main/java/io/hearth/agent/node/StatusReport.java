package io.hearth.agent.node;

import io.hearth.agent.group.GroupTalk;
import io.hearth.agent.group.Membership;
import io.hearth.agent.peers.AwayPeers;
import io.hearth.agent.peers.Duplicates;
import io.hearth.agent.peers.PeerDirectory;
import io.hearth.agent.peers.PeerWatch;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.group.GroupActivity;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.PeerHealth;
import io.hearth.election.view.Apartness;
import io.hearth.identity.NodeId;
import io.hearth.topology.Straggler;
import io.hearth.topology.export.SlowLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds the {@link ClusterStatus} from the parts of a node. Owner thread only. */
public final class StatusReport {
    private final NodeId self;
    private final int port;
    private final Supplier<ClusterStatus.Namespace> namespace;
    private final Supplier<Optional<String>> roster;
    private final Supplier<Optional<String>> discovery;
    private final Supplier<List<MdnsCounters>> mdns;
    private final GroupTalk talk;
    private @Nullable View reported;

    /**
     * @param namespace with its current key
     * @param roster message about the roster for people, in one line
     * @param discovery diagnosis of discovery, in one line, if there is one
     * @param mdns counters of mDNS
     */
    public StatusReport(
            NodeId self,
            int port,
            Supplier<ClusterStatus.Namespace> namespace,
            Supplier<Optional<String>> roster,
            Supplier<Optional<String>> discovery,
            Supplier<List<MdnsCounters>> mdns,
            GroupTalk talk) {
        this.self = self;
        this.port = port;
        this.namespace = namespace;
        this.roster = roster;
        this.discovery = discovery;
        this.mdns = mdns;
        this.talk = talk;
    }

    NodeId self() {
        return self;
    }

    /** Whether the view differs from that of the last status. */
    boolean isNewView(Membership membership) {
        return !membership.view().equals(reported);
    }

    ClusterStatus status(
            Membership membership,
            PeerWatch watch,
            PeerDirectory directory,
            AwayPeers away,
            List<ClusterStatus.Refused> refused,
            List<ClusterStatus.Fault> faults,
            Duplicates duplicates,
            OptionalLong firstPeerMillis,
            List<SlowLink> slowLinks,
            Map<NodeId, Straggler> delays) {
        View view = membership.view();
        reported = view;
        var nodes = new ArrayList<ClusterStatus.Node>();
        List<Member> members = view.members();
        for (int rank = 0; rank < members.size(); rank++) {
            Member member = members.get(rank);
            nodes.add(node(
                    member.node(),
                    Optional.of(member),
                    OptionalInt.of(rank),
                    watch,
                    directory,
                    away,
                    duplicates,
                    membership));
        }
        for (NodeId linked : new TreeSet<>(directory.linked())) {
            if (view.member(linked).isEmpty()) {
                nodes.add(node(
                        linked, Optional.empty(), OptionalInt.empty(), watch, directory, away, duplicates, membership));
            }
        }
        List<ClusterStatus.Trainer> trainers = talk.trainers(view);
        return new ClusterStatus(
                self,
                port,
                namespace.get(),
                membership.driver().state().election(),
                duplicates.own().or(roster).or(() -> waiting(membership)),
                new ClusterStatus.ViewSummary(
                        view.lineage().shortText(),
                        view.epoch(),
                        members.size(),
                        view.master().map(Member::node).orElse(self),
                        membership.driver().state().source().text()),
                watch.silence(),
                nodes,
                away.list(),
                refused,
                faults,
                duplicates.list(),
                membership.driver().state().refusals().counts(),
                firstPeerMillis,
                Math.max(membership.driver().state().trainersElsewhere(), elsewhere(trainers)),
                trainers,
                directory.linked().isEmpty() ? discovery.get() : Optional.empty(),
                mdns.get(),
                slowLinks,
                delays);
    }

    private Optional<String> waiting(Membership membership) {
        return talk.isSpare()
                ? Optional.of("the group has all the ranks that it may have: this node is a spare")
                : membership.waiting();
    }

    private int elsewhere(List<ClusterStatus.Trainer> trainers) {
        return (int) trainers.stream()
                .filter(other -> !other.inView() && !other.spare())
                .filter(other -> talk.isSpare()
                        || other.activity() == GroupActivity.WORKING
                        || other.activity() == GroupActivity.STEPPING)
                .count();
    }

    private ClusterStatus.Node node(
            NodeId id,
            Optional<Member> member,
            OptionalInt rank,
            PeerWatch watch,
            PeerDirectory directory,
            AwayPeers away,
            Duplicates duplicates,
            Membership membership) {
        boolean isSelf = id.equals(self);
        boolean isLinked = isSelf || directory.linked().contains(id);
        Optional<ClusterStatus.Away> gone = away.of(id);
        Optional<PeerHealth> health = watch.peer(id);
        Optional<String> apart =
                duplicates.of(id).or(() -> Apartness.of(membership.driver().state(), id));
        HealthStatus detected =
                isSelf ? HealthStatus.HEALTHY : health.map(PeerHealth::status).orElse(HealthStatus.UNKNOWN);
        return new ClusterStatus.Node(
                id,
                isLinked
                        ? directory.label(id)
                        : gone.map(ClusterStatus.Away::label).orElse(""),
                directory.version(id),
                member.map(Member::role),
                member.map(Member::group).orElse(""),
                rank,
                isSelf,
                directory.address(id).or(() -> gone.map(ClusterStatus.Away::address)),
                detected == HealthStatus.HEALTHY && apart.isPresent() ? HealthStatus.DEGRADED : detected,
                isLinked ? health.map(PeerHealth::lastRttNanos).orElse(OptionalLong.empty()) : OptionalLong.empty(),
                isLinked ? health.map(PeerHealth::meanRttNanos).orElse(OptionalLong.empty()) : OptionalLong.empty(),
                apart);
    }
}
