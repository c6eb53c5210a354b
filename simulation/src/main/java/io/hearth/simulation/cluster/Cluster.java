package io.hearth.simulation.cluster;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.table.PeerTableMachine;
import io.hearth.election.Member;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.process.Surroundings;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;

/** The hosts of one world, the processes that start, die and exit on them, and the control links between these. */
public final class Cluster implements Neighbours {
    private static final long NO_ANSWER_NANOS = 3 * SECOND;
    private static final long NO_ROOM_NANOS = SECOND / 2;
    private static final long TELL_CLOSED_NANOS = 200 * MILLI;

    private final WorldSetting setting;
    private final Surroundings surroundings;
    private final ProcessListener listener;
    private final SplittableRandom random;
    private final List<Host> hosts;
    private final Map<Host, NodeProcess> running = new HashMap<>();
    private final Map<Link, Long> links = new HashMap<>(); // since when
    private final Set<Host> givenUp = new HashSet<>();
    private boolean isDamaged;

    /** A control link that one end dialled. */
    private record Link(ProcessContext dialler, ProcessContext target) {}

    public Cluster(WorldSetting setting, Surroundings surroundings, ProcessListener listener) {
        this.setting = setting;
        this.surroundings = surroundings;
        this.listener = listener;
        this.random = setting.random;
        this.hosts = setting.hosts();
    }

    public List<Host> hosts() {
        return hosts;
    }

    /** The process that runs on a host, if one does. */
    public Optional<NodeProcess> process(Host host) {
        return Optional.ofNullable(running.get(host));
    }

    /** The process that runs under a node's identity, if one does. */
    public Optional<NodeProcess> process(NodeId node) {
        return setting.host(node).flatMap(this::process);
    }

    private boolean isUp(Host host) {
        return running.containsKey(host);
    }

    @Override
    public List<DiscoveryStub> stubs() {
        return processes().stream().map(NodeProcess::stub).toList();
    }

    @Override
    public Optional<DiscoveryStub> stub(NodeId node) {
        return process(node).map(NodeProcess::stub);
    }

    @Override
    public boolean isOut(Host host) {
        return listener.isOut(host);
    }

    public List<NodeProcess> processes() {
        var all = new ArrayList<NodeProcess>();
        for (Host host : hosts) {
            process(host).ifPresent(all::add);
        }
        return all;
    }

    /** All processes of the machine on which {@code process} runs. */
    public List<NodeProcess> machine(NodeProcess process) {
        return processes().stream()
                .filter(other -> other.host.machine() == process.host.machine())
                .toList();
    }

    /** The process that a view lists, if it still runs. */
    public Optional<NodeProcess> running(Member member) {
        return process(member.node()).filter(process -> process.incarnation == member.incarnation());
    }

    /** Whether a process died for good. */
    public boolean hasGivenUp() {
        return !givenUp.isEmpty();
    }

    /** Whether that process is never started again. Other processes of its machine run and cast the machine's vote. */
    public boolean isGivenUp(Host host) {
        return givenUp.contains(host);
    }

    /** In a world with several processes on a machine, one of them dies for good while another one runs there. */
    public boolean loseProcess(SplittableRandom random) {
        List<Host> candidates = hosts.stream()
                .filter(host -> setting.population.isCrowd()
                        && isUp(host)
                        && hosts.stream()
                                .anyMatch(other -> other != host && other.machine() == host.machine() && isUp(other)))
                .toList();
        if (candidates.isEmpty()) {
            return false;
        }
        Host host = candidates.get(random.nextInt(candidates.size()));
        givenUp.add(host);
        setting.statistics.fault(FaultKind.LOST_PROCESS);
        return process(host).filter(process -> crash(process, false)).isPresent();
    }

    /** The hosts that must be in the one view of peace. */
    public List<Host> expected() {
        return hosts.stream().filter(host -> !givenUp.contains(host)).toList();
    }

    /** How many trainers a script of that group waits for. */
    public long wanted(String group) {
        return expected().stream().filter(host -> host.group.equals(group)).count();
    }

    /** Whether a voter's record was damaged in this world. */
    public boolean isDamaged() {
        return isDamaged;
    }

    public void start(Host host) {
        if (isUp(host) || isGivenUp(host)) {
            return;
        }
        if (!host.home.hasRoom()) {
            setting.after(NO_ROOM_NANOS, () -> start(host));
            return;
        }
        var process = new NodeProcess(setting, surroundings, listener, this, this::process, host);
        running.put(host, process);
        process.trace(() -> "starts");
        process.begin();
        listener.started(process);
        process.trainer()
                .ifPresent(trainer -> trainer.script().beginAfterPatience(SECOND + random.nextLong(6 * SECOND)));
        listener.waits(process);
        process.stub().begin();
    }

    /** Whether every two processes have a link. */
    public boolean isMeshed() {
        List<NodeProcess> all = processes();
        return all.stream().allMatch(one -> all.stream().allMatch(other -> one == other || areLinked(one, other)));
    }

    public boolean isLinkedToAll(NodeProcess process) {
        return processes().stream().allMatch(other -> other == process || areLinked(process, other));
    }

    @Override
    public boolean areLinked(ProcessContext one, ProcessContext other) {
        return links.containsKey(new Link(one, other)) || links.containsKey(new Link(other, one));
    }

    /** Since when two processes have had a link without a gap; empty if they have none. */
    public Optional<Long> linkedSince(NodeProcess one, NodeProcess other) {
        Long dialled = links.get(new Link(one, other));
        Long accepted = links.get(new Link(other, one));
        if (dialled == null || accepted == null) {
            return Optional.ofNullable(dialled == null ? accepted : dialled);
        }
        return Optional.of(Math.min(dialled, accepted));
    }

    /** Two processes dial each other at once, as after fresh mDNS records, and succeed. */
    public void relink(Host one, Host other) {
        process(one).ifPresent(from -> process(other).ifPresent(target -> relink(from, target)));
    }

    private void relink(NodeProcess from, NodeProcess target) {
        if (!areLinked(from, target) && !setting.network.isCutEitherWay(from.host.index, target.host.index)) {
            setting.after(MILLI + random.nextLong(20 * MILLI), () -> {
                if (!from.isPaused() && !target.isPaused()) {
                    from.deliver(() -> linked(from, target, target.host.address()));
                }
            });
        }
    }

    @Override
    public void dial(ProcessContext dialler, PeerAddress address) {
        NodeProcess from = process(dialler.host()).orElseThrow();
        Optional<Host> host =
                hosts.stream().filter(other -> other.address().equals(address)).findFirst();
        NodeProcess target = host.flatMap(this::process).orElse(null);
        boolean answers = host.isPresent() && !setting.network.isCutEitherWay(from.host.index, host.get().index);
        if (target == null || !answers) {
            String why = answers ? "connection refused" : "no answer";
            setting.after(answers ? MILLI : NO_ANSWER_NANOS, () -> failed(from, address, why));
            return;
        }
        long handshake = random.nextInt(4) == 0 ? random.nextLong(900 * MILLI) : random.nextLong(20 * MILLI);
        setting.after(MILLI + handshake, () -> {
            if (target.isAlive()
                    && !target.isPaused()
                    && !setting.network.isCutEitherWay(from.host.index, target.host.index)) {
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
        if (!target.isAlive() || listener.forbidsLink(from, target)) {
            failed(from, address, target.isAlive() ? "it is refused" : "it closed");
            return;
        }
        boolean isFirst = !areLinked(from, target);
        links.put(new Link(from, target), setting.now());
        NodeId dialled = target.host.id;
        from.stub().linked(new PeerTableMachine.Event.Admitted(address, dialled), dialled, address);
        NodeId dialler = from.host.id;
        PeerAddress at = from.host.address();
        target.deliver(() -> target.stub().linked(new PeerTableMachine.Event.Accepted(at, dialler), dialler, at));
        listener.linked(from, target);
        if (isFirst) {
            from.linked(target.host.id, target.incarnation);
            target.deliver(() -> target.linked(from.host.id, from.incarnation));
        }
    }

    /** Reports a closed link to one end, unless the two have a newer one by then. */
    private void unlink(NodeProcess one, ProcessContext other, boolean refused) {
        one.deliver(() -> {
            if (areLinked(one, other)) {
                return;
            }
            one.unlinked(other.id(), other.incarnation(), refused);
            one.stub().lost(other.id());
        });
    }

    /** The other end learns of it as soon as anything reaches it. */
    @Override
    public OptionalLong close(ProcessContext process, NodeId node) {
        Optional<NodeProcess> end = process(node).filter(other -> areLinked(process, other));
        end.ifPresent(other -> {
            links.remove(new Link(process, other));
            links.remove(new Link(other, process));
            tellClosed(other, process);
        });
        return end.map(other -> OptionalLong.of(other.incarnation)).orElse(OptionalLong.empty());
    }

    private void tellClosed(NodeProcess process, ProcessContext closer) {
        if (!setting.network.isCutEitherWay(process.host.index, closer.host().index)) {
            unlink(process, closer, false);
        } else if (process.isAlive() && closer.isAlive()) {
            setting.after(TELL_CLOSED_NANOS, () -> tellClosed(process, closer));
        }
    }

    /** A control link closes; a re-dial makes a new one. */
    public boolean dropLink(Host one, Host other) {
        if (!isUp(one) || !isUp(other)) {
            return false;
        }
        NodeProcess first = process(one).orElseThrow();
        NodeProcess second = process(other).orElseThrow();
        setting.note("the link of " + one.name() + " and " + other.name() + " drops");
        boolean isUp = areLinked(first, second);
        if (isUp) {
            setting.network.connectionBroke(one.index, other.index);
            links.remove(new Link(first, second));
            links.remove(new Link(second, first));
            unlink(first, second, false);
            unlink(second, first, false);
        }
        return isUp;
    }

    /** The process dies; {@code silently} as by a pulled plug, else its sockets close. */
    public boolean crash(NodeProcess process, boolean silently) {
        if (!process.isAlive()) {
            return false;
        }
        process.trace(() -> silently ? "UNPLUGGED" : "KILLED");
        if (setting.isFaulty()
                && setting.profile.has(FaultKind.DAMAGED_RECORD)
                && random.nextInt(4) == 0
                && process.host.disk.damage(random)) {
            isDamaged = true;
            setting.statistics.fault(FaultKind.DAMAGED_RECORD);
            process.trace(() -> "a record is damaged");
        }
        end(process, silently);
        if (random.nextInt(4) > 0) {
            setting.after(50 * MILLI + random.nextLong(3 * SECOND), () -> start(process.host));
        }
        return true;
    }

    /** A host's process dies silently; {@code forGood}: it is never started again. */
    public void end(Host host, boolean forGood) {
        process(host).ifPresent(process -> end(process, true));
        if (forGood) {
            givenUp.add(host);
        }
    }

    /** The process ends by itself; a new one may follow. */
    public void exit(ProcessContext process) {
        if (!process.isAlive()) {
            return;
        }
        process.trace(() -> "exits");
        end(process, false);
        setting.after(50 * MILLI + random.nextLong(500 * MILLI), () -> start(process.host()));
    }

    private void end(ProcessContext process, boolean silently) {
        process.died();
        running.remove(process.host());
        listener.died(process);
        links.keySet()
                .removeIf(
                        link -> link.dialler().equals(process) || link.target().equals(process));
        if (silently) {
            return;
        }
        for (NodeProcess other : processes()) {
            if (!setting.network.isCutEitherWay(process.host().index, other.host.index)) {
                setting.after(random.nextLong(2 * MILLI), () -> unlink(other, process, true));
            }
        }
    }

    /** The process is asked to leave in order. */
    public void leave(NodeProcess process) {
        setting.note(process.host.name() + " leaves");
        process.deliver(() -> process.trainer()
                .ifPresentOrElse(trainer -> trainer.script().close(), () -> process.view(new ViewEvent.Leave())));
    }

    /** The state of every node, for the text of a violation. */
    public String describe() {
        var text = new StringBuilder();
        for (Host host : hosts) {
            text.append("\n  ").append(host.name());
            process(host).ifPresentOrElse(process -> text.append(describe(process)), () -> text.append(" down"));
        }
        return text.toString();
    }

    private String describe(NodeProcess process) {
        return " " + process.state().election() + " "
                + setting.narrator.text(process.state().view())
                + (process.state().isFrozen() ? " frozen" : "")
                + ", silence " + process.silenceNanos() / MILLI + " ms"
                + process.trainer()
                        .map(trainer -> ", called " + (trainer.state().next() - 1) + ", ended " + trainer.doneUpTo())
                        .orElse("");
    }
}
