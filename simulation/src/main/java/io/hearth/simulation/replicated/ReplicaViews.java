package io.hearth.simulation.replicated;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.replicated.machine.ReplicaEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tells nodes of views, as the view change would: with quorums, in chains, at different times. In some worlds also without any sense. */
final class ReplicaViews {
    private record Member(ReplicaSite site, int life) {
        boolean isAlive() {
            return site.isUp() && site.life == life;
        }
    }

    private record Chain(Lineage lineage, long epoch, List<Member> members) {
        boolean hasQuorum(Set<Member> present) {
            int twice = 2 * (int) members.stream().filter(present::contains).count();
            return twice > members.size() || (twice == members.size() && present.contains(members.getFirst()));
        }
    }

    private final ReplicaHome home;
    private final Map<Lineage, Chain> chains = new HashMap<>();
    private final Map<Member, Lineage> livesIn = new HashMap<>();
    private final Map<Member, Long> told = new HashMap<>();
    private int foundings;

    ReplicaViews(ReplicaHome home) {
        this.home = home;
    }

    /** A process that just started lives alone. */
    void lone(ReplicaSite site) {
        var member = new Member(site, site.life);
        var lineage = new Lineage(false, home.wallMillis(), site.node, site.life, foundings++);
        var chain = new Chain(lineage, 1, List.of(member));
        chains.put(lineage, chain);
        tell(member, chain, 0);
    }

    private void tell(Member member, Chain chain, long delay) {
        livesIn.put(member, chain.lineage());
        long news = ++foundings;
        member.site().after(delay, () -> {
            if (member.isAlive() && told.getOrDefault(member, -1L) < news) {
                told.put(member, news);
                member.site().step(new ReplicaEvent.Viewed(chain.lineage(), chain.epoch(), nodes(chain)));
            }
        });
    }

    private static List<NodeId> nodes(Chain chain) {
        return chain.members().stream().map(member -> member.site().node).toList();
    }

    /** One look at all parts of the network. */
    void look() {
        var seen = new HashSet<Member>();
        for (ReplicaSite site : home.sites) {
            if (site.isUp() && !seen.contains(new Member(site, site.life))) {
                Set<Member> part = part(site);
                seen.addAll(part);
                change(part);
            }
        }
    }

    private Set<Member> part(ReplicaSite first) {
        var part = new LinkedHashSet<Member>();
        var open = new ArrayList<ReplicaSite>(List.of(first));
        while (!open.isEmpty()) {
            ReplicaSite next = open.removeLast();
            if (part.add(new Member(next, next.life))) {
                home.sites.stream()
                        .filter(other -> home.links.isUp(next, other))
                        .forEach(open::add);
            }
        }
        return part;
    }

    private void change(Set<Member> part) {
        Optional<Chain> best = part.stream()
                .map(livesIn::get)
                .distinct()
                .map(chains::get)
                .filter(chain -> chain.hasQuorum(living(part, chain.lineage())))
                .max(Comparator.<Chain>comparingInt(chain -> chain.members().size())
                        .thenComparing(Chain::lineage, Comparator.reverseOrder()));
        if (best.isEmpty()) {
            if (home.continues || !home.isTrouble()) {
                part.forEach(member -> {
                    if (home.random.nextInt(8) == 0) {
                        lone(member.site());
                    }
                });
            }
            return;
        }
        var members = new LinkedHashSet<Member>();
        Lineage lineage = best.get().lineage();
        best.get().members().stream()
                .filter(part::contains)
                .filter(member -> lineage.equals(livesIn.get(member)))
                .forEach(members::add);
        members.addAll(part);
        if (List.copyOf(members).equals(best.get().members())
                && living(part, lineage).equals(part)) {
            return;
        }
        var next = new Chain(lineage, best.get().epoch() + 1, List.copyOf(members));
        chains.put(next.lineage(), next);
        next.members().forEach(member -> tell(member, next, home.random.nextLong(300 * MILLI)));
    }

    private Set<Member> living(Set<Member> part, Lineage lineage) {
        var members = new HashSet<>(part);
        members.removeIf(member -> !lineage.equals(livesIn.get(member)));
        return members;
    }

    /** Tells a node of a view that nobody made. */
    void wild() {
        ReplicaSite site = home.any();
        if (!site.isUp()) {
            return;
        }
        var nodes = new ArrayList<NodeId>();
        for (ReplicaSite other : home.sites) {
            if (other == site || home.random.nextBoolean()) {
                nodes.add(other.node);
            }
        }
        long epoch = home.random.nextLong(1, 5);
        var lineage = new Lineage(false, home.random.nextLong(3), home.sites.getFirst().node, 0, 0);
        site.step(new ReplicaEvent.Viewed(lineage, epoch, nodes));
    }

    /** After the trouble all nodes are told again, so that no wild view stays. */
    void settle() {
        home.sites.forEach(site -> {
            if (site.isUp()) {
                lone(site);
            }
        });
        home.time.after(SECOND, this::look);
    }
}
