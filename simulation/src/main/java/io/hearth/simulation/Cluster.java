package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.table.PeerTableMachine;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** The hosts of one world, the processes that start, die and exit on them, and the control links between these. */
final class Cluster {
    private static final long NO_ANSWER_NANOS = 3 * SECOND;
    private static final long NO_ROOM_NANOS = SECOND / 2;
    private static final long TELL_CLOSED_NANOS = 200 * MILLI;
    private static final int CROWD_ONE_IN = 10;
    private static final int USUAL_TRAINERS_MAX = 2;
    private static final int HOSTS_MAX = 6;
    private static final List<String> GROUPS = List.of("alpha", "beta", "gamma");

    private final World world;
    private final SplittableRandom random;
    private final List<Host> hosts = new ArrayList<>();
    private final Map<NodeId, Host> byId = new TreeMap<>();
    private final Map<Link, Long> links = new HashMap<>(); // since when
    private final Set<Host> givenUp = new HashSet<>();
    private boolean isCrowd;
    private boolean isDamaged;

    /** A control link that one end dialled. */
    private record Link(NodeProcess dialler, NodeProcess target) {}

    Cluster(World world, SplittableRandom random, SplittableRandom rarities, SplittableRandom extremes) {
        this.world = world;
        this.random = random;
        if (extremes.nextInt(CROWD_ONE_IN) == 0) {
            crowd(extremes);
        } else {
            populate(rarities);
        }
    }

    /** Few machines with several processes each: one has two or three trainers, and an agent or none. */
    private void crowd(SplittableRandom extremes) {
        isCrowd = true;
        int machines = 1 + extremes.nextInt(3);
        for (int machine = 1; machine <= machines; machine++) {
            if (extremes.nextInt(3) == 0) {
                add(Nodes.agent(machine), Role.AGENT, "");
            }
            int trainers = machine == 1 ? 2 + extremes.nextInt(2) : extremes.nextInt(3);
            for (int i = 0; i < trainers && hosts.size() < HOSTS_MAX; i++) {
                add(Nodes.trainer(machine, i), Role.TRAINER, GROUPS.getFirst());
            }
        }
    }

    private void add(NodeId id, Role role, String group) {
        Home home = hosts.stream()
                .filter(host -> host.id.peer().equals(id.peer()))
                .map(host -> host.home)
                .findFirst()
                .orElseGet(Home::new);
        var host = new Host(hosts.size(), id, role, group, home);
        hosts.add(host);
        byId.put(id, host);
    }

    private void populate(SplittableRandom rarities) {
        int usual = 2 + random.nextInt(4);
        int count = rarities.nextInt(16) == 0 ? HOSTS_MAX : usual;
        boolean hasTwoGroups = random.nextInt(6) == 0;
        int groups = rarities.nextInt(12) == 0 ? GROUPS.size() : hasTwoGroups ? 2 : 1;
        int machine = 0;
        for (int i = 0; i < count; i++) {
            boolean joinsAgent = i > 0 && hosts.getLast().role == Role.AGENT && random.nextInt(3) == 0;
            boolean joinsTrainer = groups > 1 && hasPlace(machine) && rarities.nextInt(4) == 0;
            boolean sharesMachine = joinsAgent || joinsTrainer;
            machine += sharesMachine ? 0 : 1;
            boolean isAgent = !sharesMachine && random.nextInt(3) == 0;
            String group = GROUPS.get(
                    groups == GROUPS.size() ? rarities.nextInt(groups) : groups == 2 && random.nextBoolean() ? 1 : 0);
            if (isAgent) {
                add(Nodes.agent(machine), Role.AGENT, "");
            } else {
                add(Nodes.trainer(machine, i % USUAL_TRAINERS_MAX), Role.TRAINER, group);
            }
        }
    }

    /** Whether one more trainer can run beside the one that runs on that machine. */
    private boolean hasPlace(int machine) {
        long trainers = hosts.stream()
                .filter(host -> host.role == Role.TRAINER && host.machine() == machine)
                .count();
        return trainers > 0 && trainers < USUAL_TRAINERS_MAX;
    }

    List<Host> hosts() {
        return hosts;
    }

    Optional<Host> host(NodeId id) {
        return Optional.ofNullable(byId.get(id));
    }

    List<NodeProcess> processes() {
        var running = new ArrayList<NodeProcess>();
        for (Host host : hosts) {
            host.process().ifPresent(running::add);
        }
        return running;
    }

    /** All processes of the machine on which {@code process} runs. */
    List<NodeProcess> machine(NodeProcess process) {
        return processes().stream()
                .filter(other -> other.host.machine() == process.host.machine())
                .toList();
    }

    /** The process that a view lists, if it still runs. */
    Optional<NodeProcess> running(Member member) {
        return host(member.node())
                .flatMap(Host::process)
                .filter(process -> process.incarnation == member.incarnation());
    }

    /** Whether a process died for good. */
    boolean hasGivenUp() {
        return !givenUp.isEmpty();
    }

    /** Nobody starts that process again: others of its machine run, and the machine's vote is theirs. */
    boolean isGivenUp(Host host) {
        return givenUp.contains(host);
    }

    /** In a world with several processes on a machine, one of them dies for good while another one runs there. */
    boolean loseProcess(SplittableRandom random) {
        List<Host> candidates = hosts.stream()
                .filter(host -> isCrowd
                        && host.isUp()
                        && hosts.stream()
                                .anyMatch(other -> other != host && other.machine() == host.machine() && other.isUp()))
                .toList();
        if (candidates.isEmpty()) {
            return false;
        }
        Host host = candidates.get(random.nextInt(candidates.size()));
        givenUp.add(host);
        world.tally.fault(FaultKind.LOST_PROCESS);
        return host.process().filter(process -> crash(process, false)).isPresent();
    }

    /** Those that are to be in the one view of peace. */
    List<Host> expected() {
        return hosts.stream().filter(host -> !givenUp.contains(host)).toList();
    }

    /** How many trainers a script of that group waits for. */
    long wanted(String group) {
        return expected().stream().filter(host -> host.group.equals(group)).count();
    }

    /** Whether a voter's record was damaged in this world. */
    boolean isDamaged() {
        return isDamaged;
    }

    void start(Host host) {
        if (host.isUp() || isGivenUp(host)) {
            return;
        }
        if (!host.home.hasRoom()) {
            world.after(NO_ROOM_NANOS, () -> start(host));
            return;
        }
        var process = new NodeProcess(world, host);
        host.started(process);
        world.trace(process, () -> "starts");
        process.begin();
        world.expulsion.started(process);
        process.trainer()
                .ifPresent(trainer -> trainer.script().beginAfterPatience(SECOND + random.nextLong(6 * SECOND)));
        world.byzantine.link(process);
        process.stub().begin();
    }

    /** Whether every two processes have a link. */
    boolean isMeshed() {
        List<NodeProcess> all = processes();
        return all.stream().allMatch(one -> all.stream().allMatch(other -> one == other || areLinked(one, other)));
    }

    boolean isLinkedToAll(NodeProcess process) {
        return processes().stream().allMatch(other -> other == process || areLinked(process, other));
    }

    boolean areLinked(NodeProcess one, NodeProcess other) {
        return links.containsKey(new Link(one, other)) || links.containsKey(new Link(other, one));
    }

    /** Since when two processes have had a link without a gap; empty if they have none. */
    Optional<Long> linkedSince(NodeProcess one, NodeProcess other) {
        Long dialled = links.get(new Link(one, other));
        Long accepted = links.get(new Link(other, one));
        if (dialled == null || accepted == null) {
            return Optional.ofNullable(dialled == null ? accepted : dialled);
        }
        return Optional.of(Math.min(dialled, accepted));
    }

    /** What they hear makes two processes dial at once, and it works. */
    void relink(Host one, Host other) {
        one.process().ifPresent(from -> other.process().ifPresent(target -> relink(from, target)));
    }

    private void relink(NodeProcess from, NodeProcess target) {
        if (!areLinked(from, target) && !world.network.isCutEitherWay(from.host.index, target.host.index)) {
            world.after(MILLI + random.nextLong(20 * MILLI), () -> {
                if (!from.isPaused() && !target.isPaused()) {
                    from.deliver(() -> linked(from, target, target.host.address()));
                }
            });
        }
    }

    /** A process dials; it hears of the outcome once. */
    void dial(NodeProcess from, PeerAddress address) {
        Optional<Host> host =
                hosts.stream().filter(other -> other.address().equals(address)).findFirst();
        NodeProcess target = host.flatMap(Host::process).orElse(null);
        boolean answers = host.isPresent() && !world.network.isCutEitherWay(from.host.index, host.get().index);
        if (target == null || !answers) {
            String why = answers ? "connection refused" : "no answer";
            world.after(answers ? MILLI : NO_ANSWER_NANOS, () -> failed(from, address, why));
            return;
        }
        long handshake = random.nextInt(4) == 0 ? random.nextLong(900 * MILLI) : random.nextLong(20 * MILLI);
        world.after(MILLI + handshake, () -> {
            if (target.isAlive()
                    && !target.isPaused()
                    && !world.network.isCutEitherWay(from.host.index, target.host.index)) {
                from.deliver(() -> linked(from, target, address));
            } else {
                failed(from, address, "the handshake did not end");
            }
        });
    }

    private static void failed(NodeProcess from, PeerAddress address, String why) {
        from.deliver(() -> from.stub().step(new PeerTableMachine.Event.DialFailed(address, why)));
    }

    private void linked(NodeProcess from, NodeProcess target, PeerAddress address) {
        if (!target.isAlive() || world.expulsion.forbidsLink(from, target)) {
            failed(from, address, target.isAlive() ? "it is refused" : "it closed");
            return;
        }
        boolean isFirst = !areLinked(from, target);
        links.put(new Link(from, target), world.now());
        NodeId dialled = target.host.id;
        from.stub().linked(new PeerTableMachine.Event.Admitted(address, dialled), dialled, address);
        NodeId dialler = from.host.id;
        PeerAddress at = from.host.address();
        target.deliver(() -> target.stub().linked(new PeerTableMachine.Event.Accepted(at, dialler), dialler, at));
        world.removals.lookAtLinks();
        world.expulsion.linked(from, target);
        if (isFirst) {
            from.linked(target.host.id, target.incarnation);
            target.deliver(() -> target.linked(from.host.id, from.incarnation));
        }
    }

    /** What a process hears late of a link that was replaced meanwhile is no loss. */
    private void unlink(NodeProcess one, NodeProcess other, boolean refused) {
        one.deliver(() -> {
            if (areLinked(one, other)) {
                return;
            }
            one.unlinked(other.host.id, other.incarnation, refused);
            one.stub().lost(other.host.id);
        });
    }

    /**
     * A process closes its link to a node that is silent; the other end hears of it once it hears anything.
     *
     * @return the other end; empty if the link was closed there before
     */
    Optional<NodeProcess> close(NodeProcess process, NodeId node) {
        Optional<NodeProcess> end = host(node).flatMap(Host::process).filter(other -> areLinked(process, other));
        end.ifPresent(other -> {
            links.remove(new Link(process, other));
            links.remove(new Link(other, process));
            tellClosed(other, process);
        });
        return end;
    }

    private void tellClosed(NodeProcess process, NodeProcess closer) {
        if (!world.network.isCutEitherWay(process.host.index, closer.host.index)) {
            unlink(process, closer, false);
        } else if (process.isAlive() && closer.isAlive()) {
            world.after(TELL_CLOSED_NANOS, () -> tellClosed(process, closer));
        }
    }

    /** A control link closes; a re-dial makes a new one. */
    boolean dropLink(Host one, Host other) {
        if (!one.isUp() || !other.isUp()) {
            return false;
        }
        NodeProcess first = one.process().orElseThrow();
        NodeProcess second = other.process().orElseThrow();
        world.note("the link of " + one.name() + " and " + other.name() + " drops");
        boolean isUp = areLinked(first, second);
        if (isUp) {
            world.network.connectionBroke(one.index, other.index);
            links.remove(new Link(first, second));
            links.remove(new Link(second, first));
            unlink(first, second, false);
            unlink(second, first, false);
        }
        return isUp;
    }

    /** The process dies; {@code silently} as by a pulled plug, else its sockets close. */
    boolean crash(NodeProcess process, boolean silently) {
        if (!process.isAlive()) {
            return false;
        }
        world.trace(process, () -> silently ? "UNPLUGGED" : "KILLED");
        if (world.isFaulty()
                && world.profile.has(FaultKind.DAMAGED_RECORD)
                && random.nextInt(4) == 0
                && process.host.disk.damage(random)) {
            isDamaged = true;
            world.tally.fault(FaultKind.DAMAGED_RECORD);
            world.trace(process, () -> "a record is damaged");
        }
        end(process, silently);
        if (random.nextInt(4) > 0) {
            world.after(50 * MILLI + random.nextLong(3 * SECOND), () -> start(process.host));
        }
        return true;
    }

    /** A host's process dies without a word; {@code forGood}: nobody starts it again. */
    void end(Host host, boolean forGood) {
        host.process().ifPresent(process -> end(process, true));
        if (forGood) {
            givenUp.add(host);
        }
    }

    /** The process ends by itself; a new one may follow. */
    void exit(NodeProcess process) {
        if (!process.isAlive()) {
            return;
        }
        world.trace(process, () -> "exits");
        end(process, false);
        world.after(50 * MILLI + random.nextLong(500 * MILLI), () -> start(process.host));
    }

    private void end(NodeProcess process, boolean silently) {
        process.host.died();
        world.dissolutions.died(process);
        links.keySet().removeIf(link -> link.dialler() == process || link.target() == process);
        if (silently) {
            return;
        }
        for (NodeProcess other : processes()) {
            if (!world.network.isCutEitherWay(process.host.index, other.host.index)) {
                world.after(random.nextLong(2 * MILLI), () -> unlink(other, process, true));
            }
        }
    }

    /** The others went on without a process, or its lineage ended. Who has no link to one of them is half of a broken pair. */
    void removed(NodeProcess process, View before) {
        world.dissolutions.removed(process, before);
        boolean isOver = world.viewChecker
                .newest(before.lineage())
                .filter(View::isTombstone)
                .isPresent();
        boolean wasLinked = isLinkedToAll(process) && !world.removals.wasApart(process);
        Violation.unless(
                isOver || !wasLinked || !world.profile.isMild(),
                "L1",
                () -> process.host.name() + " was removed though it was well");
    }
}
