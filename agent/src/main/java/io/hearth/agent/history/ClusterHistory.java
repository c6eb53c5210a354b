package io.hearth.agent.history;

import io.hearth.agent.history.ClusterEvent.Kind;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.election.health.HealthStatus;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The newest events of a cluster and the health of its nodes over time, from the statuses of one node in their order. Immutable and bounded:
 * the oldest events, changes and nodes are forgotten.
 */
public final class ClusterHistory {
    /** The history before the first status. */
    public static final ClusterHistory EMPTY =
            new ClusterHistory(Optional.empty(), 0, List.of(), new TreeMap<>(), new TreeMap<>(), Tally.EMPTY);

    private static final int EVENTS_MAX = 256;
    private static final int NODES_MAX = 64;
    private static final int CHANGES_MAX = 64; // of the health of one node

    private final Optional<ClusterStatus> latest;
    private final long number;
    private final List<ClusterEvent> events;
    private final SortedMap<NodeId, List<HealthChange>> health;
    private final SortedMap<NodeId, Long> troubledMillis; // since when a member is not healthy
    private final Tally tally;

    private ClusterHistory(
            Optional<ClusterStatus> latest,
            long number,
            List<ClusterEvent> events,
            SortedMap<NodeId, List<HealthChange>> health,
            SortedMap<NodeId, Long> troubledMillis,
            Tally tally) {
        this.latest = latest;
        this.number = number;
        this.events = Collections.unmodifiableList(events);
        this.health = Collections.unmodifiableSortedMap(health);
        this.troubledMillis = troubledMillis;
        this.tally = tally;
    }

    /** Totals since the node's start, also of forgotten events. */
    public Tally tally() {
        return tally;
    }

    /** The newest events, in their order. */
    public List<ClusterEvent> events() {
        return events;
    }

    /** The events with a larger number, in their order. */
    public List<ClusterEvent> after(long seen) {
        return events.stream().filter(event -> event.number() > seen).toList();
    }

    /** Number of the newest event; 0 before the first. */
    public long number() {
        return number;
    }

    /** The changes of health of each node that is or was a member, in their order. */
    public SortedMap<NodeId, List<HealthChange>> health() {
        return health;
    }

    /** This history with the next status. The same object if nothing happened. */
    public ClusterHistory with(ClusterStatus status, long atMillis) {
        var writer = new Writer(this, status, atMillis);
        if (latest.isPresent()) {
            writer.compare(latest.get());
        }
        writer.health();
        return writer.isSame() && latest.equals(Optional.of(status)) ? this : writer.history();
    }

    /** Writes down what differs between two statuses. */
    private static final class Writer {
        private final ClusterHistory before;
        private final ClusterStatus status;
        private final long atMillis;
        private final List<ClusterEvent> events;
        private final SortedMap<NodeId, List<HealthChange>> health;
        private final SortedMap<NodeId, Long> troubled;
        private long number;
        private boolean isHealthNew;
        private Tally tally;

        Writer(ClusterHistory before, ClusterStatus status, long atMillis) {
            this.before = before;
            this.status = status;
            this.atMillis = atMillis;
            this.number = before.number;
            this.events = new ArrayList<>(before.events);
            this.health = new TreeMap<>(before.health);
            this.troubled = new TreeMap<>(before.troubledMillis);
            this.tally = before.tally.now(status.state(), atMillis);
        }

        boolean isSame() {
            return number == before.number && !isHealthNew;
        }

        ClusterHistory history() {
            List<ClusterEvent> kept = events.subList(Math.max(0, events.size() - EVENTS_MAX), events.size());
            return new ClusterHistory(Optional.of(status), number, List.copyOf(kept), health, troubled, tally);
        }

        private void tell(Kind kind, NodeId node, String text) {
            number++;
            tally = tally.counted(kind);
            events.add(new ClusterEvent(number, atMillis, kind, node.text(), text));
        }

        void compare(ClusterStatus former) {
            view(former);
            opinions(former);
            if (!status.waiting().equals(former.waiting())) {
                tell(
                        Kind.WAITING,
                        status.self(),
                        status.waiting().map(why -> "waiting: " + why).orElse("no longer waiting"));
            }
            status.refused().stream()
                    .filter(other -> former.refused().stream()
                            .noneMatch(old -> old.address().equals(other.address())
                                    && old.why().equals(other.why())))
                    .forEach(other -> tell(
                            Kind.REFUSED,
                            status.self(),
                            "refused " + (other.who().isEmpty() ? "" : other.who() + " at ") + other.address() + ": "
                                    + other.why()));
            status.faults().stream()
                    .filter(fault -> former.faults().stream()
                            .noneMatch(old ->
                                    old.who().equals(fault.who()) && old.why().equals(fault.why())))
                    .forEach(fault -> tell(Kind.FAULT, status.self(), "rejected " + fault.who() + ": " + fault.why()));
            status.doubled().stream()
                    .filter(other -> !former.doubled().contains(other))
                    .forEach(other -> tell(Kind.DOUBLED, status.self(), other.who() + ": " + other.text()));
            status.slowLinks().stream()
                    .filter(link -> former.slowLinks().stream()
                            .noneMatch(old ->
                                    old.from().equals(link.from()) && old.to().equals(link.to())))
                    .forEach(link -> tell(Kind.SLOW_LINK, link.from(), "slow link: " + link.text()));
            status.delays().values().stream()
                    .distinct()
                    .filter(late -> former.delays().values().stream()
                            .noneMatch(old -> old.node().equals(late.node()) && old.cause() == late.cause()))
                    .forEach(late -> tell(Kind.DELAY, late.node(), name(late.node()) + " delays sums: " + late.text()));
        }

        private void view(ClusterStatus former) {
            if (status.view().equals(former.view())) {
                return;
            }
            Map<NodeId, ClusterStatus.Node> now = members(status);
            Map<NodeId, ClusterStatus.Node> then = members(former);
            boolean isOther = !status.view().lineage().equals(former.view().lineage());
            if (isOther && now.size() > 1) {
                tell(
                        Kind.MERGED,
                        status.self(),
                        "this node is in the cluster of " + name(status.view().master()) + ": " + form());
            }
            now.keySet().stream()
                    .filter(node -> !then.containsKey(node) && !node.equals(status.self()) && !isOther)
                    .forEach(node -> tell(Kind.JOINED, node, name(node) + " joined: " + form()));
            then.keySet().stream()
                    .filter(node -> !now.containsKey(node) && !node.equals(status.self()))
                    .forEach(node -> tell(
                            Kind.LEFT,
                            node,
                            name(former, node) + " left: " + why(former, node) + form() + after(node)));
            if (!status.view().master().equals(former.view().master()) && now.size() > 1) {
                tell(Kind.MASTER, status.view().master(), name(status.view().master()) + " is the master");
            }
        }

        private String form() {
            int members = status.view().members();
            return "view " + status.view().epoch() + " of " + members + (members == 1 ? " member" : " members");
        }

        /** The reason why a node left, with a colon's worth of text after it; empty if this node knows none. */
        private String why(ClusterStatus former, NodeId node) {
            return status.away().stream()
                    .filter(gone -> gone.id().equals(node))
                    .findFirst()
                    .map(ClusterStatus.Away::why)
                    .or(() -> Optional.ofNullable(members(former).get(node)).flatMap(ClusterStatus.Node::apart))
                    .map(why -> why + "; ")
                    .orElse("");
        }

        private String after(NodeId node) {
            Long since = troubled.remove(node);
            return since == null ? "" : String.format(Locale.ROOT, " after %.1f s", (atMillis - since) / 1e3);
        }

        private void opinions(ClusterStatus before) {
            Map<NodeId, ClusterStatus.Node> then = members(before);
            members(status).forEach((node, now) -> {
                HealthStatus former = then.containsKey(node) ? then.get(node).health() : HealthStatus.UNKNOWN;
                boolean isHealthy = now.health() == HealthStatus.HEALTHY;
                boolean isKnown = former != HealthStatus.UNKNOWN; // as of a node that just came
                if (isKnown && (former == HealthStatus.HEALTHY) != isHealthy) {
                    tell(
                            Kind.HEALTH,
                            node,
                            isHealthy
                                    ? name(node) + " is healthy again"
                                    : name(node) + " is " + now.health().name().toLowerCase(Locale.ROOT)
                                            + now.apart().map(why -> ": " + why).orElse(""));
                }
            });
        }

        void health() {
            Map<NodeId, ClusterStatus.Node> now = members(status);
            now.forEach((node, member) -> {
                note(node, member.health());
                if (member.health() == HealthStatus.HEALTHY) {
                    troubled.remove(node);
                } else {
                    troubled.putIfAbsent(node, atMillis);
                }
            });
            troubled.keySet().retainAll(now.keySet());
            List.copyOf(health.keySet()).stream()
                    .filter(node -> !now.containsKey(node))
                    .forEach(gone -> note(gone, HealthStatus.UNKNOWN));
            while (health.size() > NODES_MAX) {
                NodeId oldest = Collections.min(
                        health.keySet(), (one, other) -> Long.compare(lastMillis(one), lastMillis(other)));
                health.remove(oldest);
            }
        }

        private long lastMillis(NodeId node) {
            return health.getOrDefault(node, List.of(new HealthChange(0, HealthStatus.UNKNOWN)))
                    .getLast()
                    .atMillis();
        }

        private void note(NodeId node, HealthStatus newest) {
            List<HealthChange> changes = health.getOrDefault(node, List.of());
            if (changes.isEmpty() || changes.getLast().health() != newest) {
                var longer =
                        new ArrayList<>(changes.subList(Math.max(0, changes.size() - CHANGES_MAX + 1), changes.size()));
                longer.add(new HealthChange(atMillis, newest));
                health.put(node, List.copyOf(longer));
                isHealthNew = true;
            }
        }

        private String name(NodeId node) {
            return name(status, node);
        }

        private static String name(ClusterStatus status, NodeId node) {
            String label = status.label(node);
            return label.isEmpty()
                    ? node.shortText()
                    : node.slot().equals(NodeId.AGENT) ? label : label + "/" + node.slot();
        }

        private static Map<NodeId, ClusterStatus.Node> members(ClusterStatus status) {
            return status.nodes().stream()
                    .filter(node -> node.rank().isPresent())
                    .collect(Collectors.toMap(ClusterStatus.Node::id, node -> node, (one, _) -> one, TreeMap::new));
        }
    }
}
