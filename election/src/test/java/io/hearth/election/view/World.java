package io.hearth.election.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.election.ElectionConfig;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.OpenResolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.HealthMachine;
import io.hearth.election.health.HealthState;
import io.hearth.election.protobuf.MessageCodec;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** A network of real machines in virtual time on one thread: loses, repeats, delays, cuts, crashes and pauses by a seed. */
final class World {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1_000 * MILLI;

    private record Happening(long atNanos, long order, Runnable what) {}

    private record Pair(NodeId from, NodeId to) {}

    /** The home of one machine, shared by its processes; it outlives them. */
    static final class Folder {
        final Map<Lineage, LineageRecord> records = new TreeMap<>();

        /** How long each task takes, at least. */
        long writeNanos;

        /** Whether every write fails. */
        boolean isFull;

        /** Records that were written, each of which a real disk is made to force. */
        int writes;

        private long freeAt;
        private long awakeNanos;
        private long retainedNanos;
        private final Map<Lineage, Long> usedNanos = new TreeMap<>();

        /** Marks what a process of the home uses, and deletes what none used for ten minutes of waking and nobody needs. */
        private VoterAnswer retain(PeerId machine, Set<Lineage> used, long now) {
            awakeNanos += Math.min(now - retainedNanos, 60 * SECOND);
            retainedNanos = now;
            records.keySet().forEach(lineage -> usedNanos.putIfAbsent(lineage, awakeNanos));
            used.forEach(lineage -> usedNanos.put(lineage, awakeNanos));
            records.values().removeIf(record -> {
                boolean isIdle = awakeNanos - usedNanos.getOrDefault(record.lineage(), awakeNanos) >= 600 * SECOND;
                boolean isNeeded = record.isListed(machine)
                        && record.view()
                                .filter(view -> view.machines().size() > 1)
                                .isPresent();
                return isIdle && !isNeeded;
            });
            var without = new TreeSet<>(used);
            without.removeAll(records.keySet());
            return new VoterAnswer.Retained(without);
        }
    }

    /** One node: its folder outlives its process. */
    static final class Host {
        final NodeId id;
        final Role role;
        final Folder folder;
        final List<String> removals = new ArrayList<>();
        final ViewMachine machine;
        boolean isUp;
        long incarnation;
        long pausedUntil;
        long tickAt = Long.MAX_VALUE;
        boolean hasLeft;
        String pending = "";
        boolean isHeld;
        io.hearth.core.Bytes status = OpenResolver.OPEN;

        @org.jspecify.annotations.Nullable
        ViewState state;

        HealthState health = HealthState.empty(0);

        private Host(NodeId id, Folder folder, Role role, ElectionConfig config) {
            this.id = id;
            this.folder = folder;
            this.role = role;
            this.machine = new ViewMachine(config, new OpenResolver());
        }

        ViewState state() {
            ViewState known = state;
            if (known == null) {
                throw new IllegalStateException(id.shortText() + " never started");
            }
            return known;
        }
    }

    final Map<NodeId, Host> hosts = new TreeMap<>();
    final Map<PeerId, Folder> folders = new TreeMap<>();
    final Ledger ledger = new Ledger();
    final SplittableRandom random;
    final List<String> trace = new ArrayList<>();
    private final boolean isTracing = Boolean.getBoolean("hearth.trace");
    private final PriorityQueue<Happening> queue = new PriorityQueue<>(
            java.util.Comparator.comparingLong(Happening::atNanos).thenComparingLong(Happening::order));
    private final HealthMachine health = new HealthMachine(HealthConfig.lan());
    private final Set<Pair> cuts = new HashSet<>();
    private long order;
    long now;
    long steps;
    double loss;
    double repeat;
    double sharp;
    long delayMax = 2 * MILLI;

    World(long seed) {
        random = new SplittableRandom(seed);
    }

    Host add(NodeId id, Role role, ElectionConfig config) {
        var host = new Host(id, folders.computeIfAbsent(id.peer(), _ -> new Folder()), role, config);
        hosts.put(id, host);
        return host;
    }

    void at(long delay, Runnable what) {
        queue.add(new Happening(now + delay, order++, what));
    }

    /** Runs until {@code until} or until nothing is left. */
    void run(long until) {
        while (!queue.isEmpty() && queue.peek().atNanos() <= until) {
            Happening next = queue.remove();
            now = next.atNanos();
            next.what().run();
        }
        now = until;
    }

    void start(Host host) {
        if (host.isUp) {
            return;
        }
        host.isUp = true;
        host.hasLeft = false;
        host.incarnation++;
        host.pausedUntil = now;
        host.health = HealthState.empty(now);
        var start = new ViewMachine.Start(
                1_000_000 + now / MILLI + random.nextInt(500),
                List.copyOf(host.folder.records.values()),
                host.id,
                host.incarnation,
                host.role,
                host.role == Role.AGENT ? "" : "job",
                random.nextLong());
        carryOut(host, host.machine.start(start, now));
        if (host.isUp && host.status.equals(OpenResolver.TRAINING)) {
            view(host, new ViewEvent.Progress(3, GroupPhase.BUSY));
        }
        hosts.values().stream().filter(other -> other != host && other.isUp).forEach(other -> link(host, other));
        scheduleTick(host);
    }

    void link(Host one, Host other) {
        long first = one.incarnation;
        long second = other.incarnation;
        at(MILLI + random.nextLong(20 * MILLI), () -> {
            if (one.isUp && other.isUp && one.incarnation == first && other.incarnation == second) {
                if (isCut(one.id, other.id)) {
                    at(500 * MILLI, () -> link(one, other));
                } else {
                    linked(one, other);
                    linked(other, one);
                }
            }
        });
    }

    private void linked(Host host, Host other) {
        long incarnation = other.incarnation;
        deliver(host, () -> {
            view(host, new ViewEvent.Linked(other.id, incarnation));
            health(host, new HealthMachine.Event.Linked(other.id, incarnation));
        });
    }

    /** The process dies; {@code silently} as by a pulled plug, else its sockets close. */
    void crash(Host host, boolean silently) {
        if (!host.isUp) {
            return;
        }
        log(host, silently ? "UNPLUGGED" : "KILLED");
        host.isUp = false;
        host.tickAt = Long.MAX_VALUE;
        if (silently) {
            return;
        }
        long incarnation = host.incarnation;
        for (Host other : hosts.values()) {
            if (other.isUp && !isCut(host.id, other.id)) {
                at(
                        random.nextLong(2 * MILLI),
                        () -> deliver(other, () -> {
                            view(other, new ViewEvent.Unlinked(host.id, incarnation));
                            health(other, new HealthMachine.Event.LinkLost(host.id, incarnation));
                            health(other, new HealthMachine.Event.RedialRefused(host.id));
                        }));
            }
        }
    }

    void pause(Host host, long nanos) {
        log(host, "PAUSED " + nanos / MILLI + " ms");
        host.pausedUntil = now + nanos;
    }

    void cut(NodeId from, NodeId to) {
        cuts.add(new Pair(from, to));
    }

    void cutBoth(NodeId one, NodeId other) {
        cut(one, other);
        cut(other, one);
    }

    void healAll() {
        cuts.clear();
    }

    /** One pair of hosts can reach each other again, and does within 20 ms. */
    void heal(Host one, Host other) {
        cuts.remove(new Pair(one.id, other.id));
        cuts.remove(new Pair(other.id, one.id));
        link(one, other);
    }

    /** No frame passes between a host and the others, and their connections close after 2 s. */
    void isolate(Host host, List<Host> others) {
        for (Host other : others) {
            cutBoth(host.id, other.id);
            at(2 * SECOND, () -> {
                if (isCut(host.id, other.id)) {
                    unlinked(host, other);
                    unlinked(other, host);
                    link(host, other); // again and again until they can reach each other
                }
            });
        }
    }

    private void unlinked(Host host, Host other) {
        long incarnation = other.incarnation;
        deliver(host, () -> {
            view(host, new ViewEvent.Unlinked(other.id, incarnation));
            health(host, new HealthMachine.Event.LinkLost(other.id, incarnation));
        });
    }

    /** The whole network is down for {@code nanos}; then each link comes back by itself, all within a span. */
    void outage(long nanos, long within) {
        List<Host> all = List.copyOf(hosts.values());
        for (int i = 0; i < all.size(); i++) {
            Host one = all.get(i);
            List<Host> others = all.subList(i + 1, all.size());
            isolate(one, others);
            others.forEach(other -> at(nanos + random.nextLong(within), () -> heal(one, other)));
        }
    }

    private boolean isCut(NodeId one, NodeId other) {
        return cuts.contains(new Pair(one, other)) || cuts.contains(new Pair(other, one));
    }

    /** To a paused process events come when it goes on. */
    private void deliver(Host host, Runnable what) {
        if (!host.isUp) {
            return;
        }
        long incarnation = host.incarnation;
        if (now < host.pausedUntil) {
            at(host.pausedUntil - now, () -> {
                if (host.isUp && host.incarnation == incarnation) {
                    deliver(host, what);
                }
            });
            return;
        }
        what.run();
        scheduleTick(host);
    }

    private void scheduleTick(Host host) {
        if (!host.isUp) {
            return;
        }
        long sleep = Math.min(host.machine.sleepNanos(host.state(), now), health.sleepNanos(host.health, now));
        long due = now + Math.max(MILLI, sleep);
        if (due >= host.tickAt) {
            return;
        }
        host.tickAt = due;
        long incarnation = host.incarnation;
        at(due - now, () -> {
            if (host.isUp && host.incarnation == incarnation && host.tickAt == due) {
                host.tickAt = Long.MAX_VALUE;
                deliver(host, () -> {
                    view(host, new ViewEvent.Tick());
                    health(host, new HealthMachine.Event.Tick());
                });
            }
        });
    }

    void view(Host host, ViewEvent event) {
        if (host.isUp) {
            carryOut(host, host.machine.step(host.state(), event, now));
        }
    }

    private void health(Host host, HealthMachine.Event event) {
        if (!host.isUp) {
            return;
        }
        Step<HealthState, HealthMachine.Effect> step = health.step(host.health, event, now);
        host.health = step.state();
        for (HealthMachine.Effect effect : step.effects()) {
            switch (effect) {
                case HealthMachine.Effect.SendHeartbeat(NodeId to, long sequence, long echo, long held) ->
                    send(host, to, new Message.Heartbeat(host.state().presence(), sequence, echo, held));
                case HealthMachine.Effect.Suspected(NodeId node, long incarnation, String why) -> {
                    log(host, "suspects " + node.shortText() + ": " + why);
                    view(host, new ViewEvent.Suspected(node, incarnation));
                }
                case HealthMachine.Effect.Refused(NodeId node, long incarnation) ->
                    view(host, new ViewEvent.Refused(node, incarnation));
                case HealthMachine.Effect.Trusted(NodeId node, long incarnation) ->
                    view(host, new ViewEvent.Trusted(node, incarnation));
                case HealthMachine.Effect.Announce _,
                        HealthMachine.Effect.Awoke _,
                        HealthMachine.Effect.Renew _ -> {} // links here have no pauses of a kernel
            }
        }
    }

    private void carryOut(Host host, Step<ViewState, ViewEffect> step) {
        steps++;
        host.state = step.state();
        for (ViewEffect effect : step.effects()) {
            if (sharp > 0 && random.nextDouble() < sharp) {
                crash(host, random.nextBoolean());
            }
            if (!host.isUp) {
                return; // died between two effects
            }
            carryOut(host, effect);
        }
        assertEquals(Optional.empty(), StateRules.fault(host.state()));
    }

    private void carryOut(Host host, ViewEffect effect) {
        if (isTracing && !(effect instanceof ViewEffect.Send)) {
            log(host, effect.toString());
        }
        switch (effect) {
            case ViewEffect.Vote(VoterTask task) -> vote(host, task);
            case ViewEffect.Rest _ -> {}
            case ViewEffect.Send(NodeId to, Message message) -> send(host, to, message);
            case ViewEffect.Freeze(Lineage lineage, long epoch) -> {
                long incarnation = host.incarnation;
                at(random.nextLong(3 * MILLI), () -> {
                    if (host.isUp && host.incarnation == incarnation) {
                        deliver(host, () -> {
                            ledger.froze(lineage, epoch, host.id, incarnation);
                            long done = host.state().progress().doneUpTo();
                            view(host, new ViewEvent.Frozen(lineage, epoch, Optional.of(host.status), done));
                        });
                    }
                });
            }
            case ViewEffect.Install(View view) -> ledger.committed(view);
            case ViewEffect.Removed(ViewEffect.Removed.Cause _, String why) -> host.removals.add(why);
            case ViewEffect.Left() -> {
                host.hasLeft = true;
                at(0, () -> crash(host, false));
            }
            case ViewEffect.Announce _ -> {}
            case ViewEffect.Hold(boolean held) -> host.isHeld = held;
            case ViewEffect.Pending(String reason) -> host.pending = reason;
        }
    }

    /** One process of a machine after the other has the folder; a process that dies meanwhile may or may not have written. */
    private void vote(Host host, VoterTask task) {
        Folder folder = host.folder;
        long begins = Math.max(now, folder.freeAt);
        folder.freeAt = begins + folder.writeNanos + random.nextLong(2 * MILLI);
        long incarnation = host.incarnation;
        at(folder.freeAt - now, () -> {
            boolean isThere = host.isUp && host.incarnation == incarnation;
            if (isThere || random.nextBoolean()) {
                VoterAnswer answer = cast(host, task);
                deliverIf(host, incarnation, () -> view(host, new ViewEvent.Voted(task, answer)));
            }
        });
    }

    private void deliverIf(Host host, long incarnation, Runnable what) {
        if (host.isUp && host.incarnation == incarnation) {
            deliver(host, what);
        }
    }

    private VoterAnswer cast(Host host, VoterTask task) {
        Map<Lineage, LineageRecord> records = host.folder.records;
        if (task instanceof VoterTask.Retain(var used)) {
            return host.folder.retain(host.id.peer(), used, now);
        }
        Lineage lineage = Voter.lineage(task).orElseThrow();
        Voter.Decision decision = Voter.decide(host.id.peer(), Optional.ofNullable(records.get(lineage)), task);
        if (decision.write().isEmpty()) {
            return decision.answer();
        }
        if (host.folder.isFull) {
            return new VoterAnswer.Failed("no space left");
        }
        LineageRecord record = decision.write().get();
        ledger.persisted(host.id.peer(), Optional.ofNullable(records.get(lineage)), record);
        records.put(lineage, record);
        host.folder.writes++;
        return decision.answer();
    }

    void send(Host host, NodeId to, Message message) {
        Host target = hosts.get(to);
        if (isTracing && !(message instanceof Message.Heartbeat)) {
            log(host, "-> " + to.shortText() + " " + message);
        }
        if (message instanceof Message.Commit(View view)) {
            ledger.committed(view);
        }
        assertTravels(message);
        int copies = random.nextDouble() < repeat ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            if (target == null || cuts.contains(new Pair(host.id, to)) || random.nextDouble() < loss) {
                continue;
            }
            long from = host.incarnation;
            long incarnation = target.incarnation;
            at(100_000 + random.nextLong(delayMax), () -> {
                if (target.isUp && target.incarnation == incarnation) {
                    deliver(target, () -> receive(target, host.id, from, message));
                }
            });
        }
    }

    private void receive(Host host, NodeId from, long incarnation, Message message) {
        if (message instanceof Message.Heartbeat beat) {
            health(
                    host,
                    new HealthMachine.Event.HeartbeatHeard(
                            from, incarnation, beat.sequence(), beat.echo(), beat.echoHeldNanos()));
        } else {
            health(host, new HealthMachine.Event.Heard(from, incarnation));
        }
        view(host, new ViewEvent.Received(from, incarnation, message));
    }

    /** One message of a hundred goes through its wire form. */
    private void assertTravels(Message message) {
        if (random.nextInt(100) == 0) {
            try {
                assertEquals(message, MessageCodec.decode(MessageCodec.kind(message), MessageCodec.encode(message)));
            } catch (MalformedMessageException wrong) {
                throw new AssertionError(wrong);
            }
        }
    }

    /** One view that lists exactly the nodes that are up, installed at all of them. */
    boolean isUnited() {
        List<Host> up = hosts.values().stream().filter(host -> host.isUp).toList();
        View first = up.getFirst().state().view();
        return first.members().size() == up.size()
                && up.stream().allMatch(host -> host.state().view().equals(first))
                && up.stream().noneMatch(host -> host.state().isFrozen());
    }

    /** Runs until all nodes that are up are united; says how long that took, or fails. */
    long unite(long patience, String where) {
        long begin = now;
        while (!isUnited()) {
            assertTrue(
                    now - begin < patience,
                    () -> where + " not united after " + patience / SECOND + " s:" + describe());
            run(now + 50 * MILLI);
        }
        return now - begin;
    }

    String describe() {
        var text = new StringBuilder();
        for (Host host : hosts.values()) {
            text.append('\n').append(host.id.shortText()).append(host.isUp ? " up " : " down ");
            if (host.state != null) {
                ViewState state = host.state();
                text.append(state.election())
                        .append(' ')
                        .append(state.current().lineage().shortText())
                        .append(" e")
                        .append(state.view().epoch())
                        .append(' ')
                        .append(state.view().members().stream()
                                .map(member -> member.node().shortText() + "." + member.incarnation())
                                .toList())
                        .append(state.isFrozen() ? " frozen" : "")
                        .append(" need=")
                        .append(state.change().needed().orElse("-"))
                        .append(" crossing=")
                        .append(state.crossing())
                        .append(" holds=")
                        .append(state.admission().holdDowns().size())
                        .append(" pending=")
                        .append(state.pending())
                        .append(' ')
                        .append(state.refusals());
            }
        }
        return text + "\n" + String.join("\n", trace.subList(Math.max(0, trace.size() - 400), trace.size()));
    }

    private void log(Host host, String what) {
        if (isTracing) {
            trace.add(now / 1_000 + " us " + host.id.shortText() + "." + host.incarnation + " " + what);
        }
    }
}
