package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.election.Beat;
import io.hearth.election.ElectionConfig;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.HealthMachine;
import io.hearth.election.health.HealthState;
import io.hearth.election.health.Preset;
import io.hearth.election.health.Silence;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.StateRules;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.simulation.host.Disk;
import io.hearth.simulation.rule.ViewChecker;
import io.hearth.simulation.setting.Narrator;
import io.hearth.simulation.time.Timeline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Real failure detectors, view machines and voters on the simulator's timeline, under its rules. A test tells each node what to
 * do; the seed draws only delays.
 */
final class ViewStage {
    /** Statuses of collectives without a call, in the middle of a step, and with a broken stream. */
    static final Bytes OPEN = CollectiveMessages.encode(new Status(0, 0, List.of(), Optional.empty()));

    static final Bytes TRAINING = CollectiveMessages.encode(new Status(3, 3, List.of(), Optional.empty()));
    static final Bytes BROKEN = CollectiveMessages.encode(new Status(0, 0, List.of(), Optional.of("a stream broke")));

    private static final long KEEP_NANOS = 600 * SECOND;

    private record Pair(NodeId from, NodeId to) {}

    /** The folder of one machine, shared by its processes; it outlives them. */
    static final class Folder {
        /** Least duration of each task. */
        long writeNanos;

        /** Whether every write fails. */
        boolean isFull;

        /** Number of written records; a real node forces each of them to the disk. */
        int writes;

        private Disk disk = new Disk();
        private long freeAt;

        /** Whether it holds a record of that lineage. */
        boolean has(Lineage lineage) {
            return disk.record(lineage).isPresent();
        }

        /** All records are deleted. */
        void lose() {
            disk = new Disk();
        }
    }

    /** One node: its folder outlives its process. */
    static final class Actor {
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
        long doneUpTo = -1; // from the last report of its collectives
        Bytes status = OPEN;

        @Nullable
        ViewState state;

        HealthState health;

        private Actor(NodeId id, Folder folder, Role role, ElectionConfig config, HealthState health) {
            this.id = id;
            this.folder = folder;
            this.role = role;
            this.machine = new ViewMachine(config, new CollectiveResolver());
            this.health = health;
        }

        ViewState state() {
            ViewState known = state;
            if (known == null) {
                throw new IllegalStateException(id.shortText() + " never started");
            }
            return known;
        }
    }

    final Map<NodeId, Actor> hosts = new TreeMap<>();
    final Map<PeerId, Folder> folders = new TreeMap<>();
    private final Timeline timeline = new Timeline();
    private final Narrator narrator = new Narrator(NodeId::shortText);
    private final ViewChecker checker = new ViewChecker(timeline::now);
    private final SplittableRandom random;
    private final List<String> trace = new ArrayList<>();
    private final boolean isTracing = Boolean.getBoolean("hearth.trace");
    private final HealthMachine health;
    private final Set<Pair> cuts = new HashSet<>();

    ViewStage(long seed) {
        this(seed, HealthConfig.of(Preset.LAN));
    }

    ViewStage(long seed, HealthConfig spans) {
        random = new SplittableRandom(seed);
        health = new HealthMachine(spans);
    }

    Actor add(NodeId id, Role role, ElectionConfig config) {
        var host =
                new Actor(id, folders.computeIfAbsent(id.peer(), _ -> new Folder()), role, config, health.start(now()));
        hosts.put(id, host);
        return host;
    }

    long now() {
        return timeline.now();
    }

    void at(long delay, Runnable what) {
        timeline.after(delay, what);
    }

    void run(long until) {
        timeline.runUntil(until);
    }

    void start(Actor host) {
        if (host.isUp) {
            return;
        }
        host.isUp = true;
        host.hasLeft = false;
        host.incarnation++;
        host.pausedUntil = now();
        host.health = health.start(now());
        var start = new ViewMachine.Start(
                1_000_000 + now() / MILLI + random.nextInt(500),
                host.folder.disk.load(_ -> Optional.empty()),
                host.id,
                host.incarnation,
                host.role,
                host.role == Role.AGENT ? "" : "job",
                random.nextLong());
        carryOut(host, host.machine.start(start, now()));
        if (host.isUp && host.status.equals(TRAINING)) {
            view(host, new ViewEvent.Progress(3, GroupPhase.BUSY));
        }
        hosts.values().stream().filter(other -> other != host && other.isUp).forEach(other -> link(host, other));
        scheduleTick(host);
    }

    void link(Actor one, Actor other) {
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

    private void linked(Actor host, Actor other) {
        long incarnation = other.incarnation;
        deliver(host, () -> {
            view(host, new ViewEvent.Linked(other.id, incarnation));
            health(host, new HealthMachine.Event.Linked(other.id, incarnation));
        });
    }

    /** The process dies. {@code silently}: the machine lost power, otherwise its sockets close. */
    void crash(Actor host, boolean silently) {
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
        for (Actor other : hosts.values()) {
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

    void pause(Actor host, long nanos) {
        log(host, "PAUSED " + nanos / MILLI + " ms");
        host.pausedUntil = now() + nanos;
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
    void heal(Actor one, Actor other) {
        cuts.remove(new Pair(one.id, other.id));
        cuts.remove(new Pair(other.id, one.id));
        link(one, other);
    }

    /** No frame passes between a host and the others, and their connections close after 2 s. */
    void isolate(Actor host, List<Actor> others) {
        for (Actor other : others) {
            cutBoth(host.id, other.id);
            at(2 * SECOND, () -> {
                if (isCut(host.id, other.id)) {
                    unlinked(host, other);
                    unlinked(other, host);
                    link(host, other); // repeatedly until they can reach each other
                }
            });
        }
    }

    private void unlinked(Actor host, Actor other) {
        long incarnation = other.incarnation;
        deliver(host, () -> {
            view(host, new ViewEvent.Unlinked(other.id, incarnation));
            health(host, new HealthMachine.Event.LinkLost(other.id, incarnation));
        });
    }

    /** The whole network is down for {@code nanos}; then each link comes back by itself, all within a span. */
    void outage(long nanos, long within) {
        List<Actor> all = List.copyOf(hosts.values());
        for (int i = 0; i < all.size(); i++) {
            Actor one = all.get(i);
            List<Actor> others = all.subList(i + 1, all.size());
            isolate(one, others);
            others.forEach(other -> at(nanos + random.nextLong(within), () -> heal(one, other)));
        }
    }

    private boolean isCut(NodeId one, NodeId other) {
        return cuts.contains(new Pair(one, other)) || cuts.contains(new Pair(other, one));
    }

    /** A paused process gets its events when it goes on. */
    private void deliver(Actor host, Runnable what) {
        if (!host.isUp) {
            return;
        }
        long incarnation = host.incarnation;
        if (now() < host.pausedUntil) {
            at(host.pausedUntil - now(), () -> {
                if (host.isUp && host.incarnation == incarnation) {
                    deliver(host, what);
                }
            });
            return;
        }
        what.run();
        scheduleTick(host);
    }

    private void scheduleTick(Actor host) {
        if (!host.isUp) {
            return;
        }
        long sleep = Math.min(host.machine.sleepNanos(host.state(), now()), health.sleepNanos(host.health, now()));
        long due = now() + Math.max(MILLI, sleep);
        if (due >= host.tickAt) {
            return;
        }
        host.tickAt = due;
        long incarnation = host.incarnation;
        at(due - now(), () -> {
            if (host.isUp && host.incarnation == incarnation && host.tickAt == due) {
                host.tickAt = Long.MAX_VALUE;
                deliver(host, () -> {
                    view(host, new ViewEvent.Tick());
                    health(host, new HealthMachine.Event.Tick());
                });
            }
        });
    }

    void view(Actor host, ViewEvent event) {
        if (event instanceof ViewEvent.Progress progress) {
            host.doneUpTo = progress.doneUpTo();
        }
        if (host.isUp) {
            carryOut(host, host.machine.step(host.state(), event, now()));
        }
    }

    private void health(Actor host, HealthMachine.Event event) {
        if (!host.isUp) {
            return;
        }
        Step<HealthState, HealthMachine.Effect> step = health.step(host.health, event, now());
        host.health = step.state();
        for (HealthMachine.Effect effect : step.effects()) {
            switch (effect) {
                case HealthMachine.Effect.SendHeartbeat(NodeId to, Beat beat) ->
                    send(host, to, new Message.Heartbeat(host.state().presence(), beat));
                case HealthMachine.Effect.SilenceChosen(Silence silence) ->
                    view(host, new ViewEvent.SilenceChosen(silence.nanos()));
                case HealthMachine.Effect.Suspected(NodeId node, long incarnation, String why) -> {
                    log(host, "suspects " + node.shortText() + ": " + why);
                    view(host, new ViewEvent.Suspected(node, incarnation));
                }
                case HealthMachine.Effect.ProcessEnded(NodeId node, long incarnation) ->
                    view(host, new ViewEvent.ProcessEnded(node, incarnation));
                case HealthMachine.Effect.Trusted(NodeId node, long incarnation) ->
                    view(host, new ViewEvent.Trusted(node, incarnation));
                case HealthMachine.Effect.Announce _,
                        HealthMachine.Effect.Awoke _,
                        HealthMachine.Effect.Renew _ -> {} // links here have no pauses of a kernel
            }
        }
    }

    private void carryOut(Actor host, Step<ViewState, ViewEffect> step) {
        host.state = step.state();
        for (ViewEffect effect : step.effects()) {
            if (!host.isUp) {
                return; // died between two effects
            }
            carryOut(host, effect);
        }
        assertEquals(Optional.empty(), StateRules.fault(host.state()));
    }

    private void carryOut(Actor host, ViewEffect effect) {
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
                            checker.froze(lineage, epoch, host.id, incarnation);
                            long done = host.doneUpTo;
                            view(host, new ViewEvent.Frozen(lineage, epoch, Optional.of(host.status), done));
                        });
                    }
                });
            }
            case ViewEffect.Install(View view) -> {
                checker.learned(view);
                var members = new HealthMachine.Event.Members(
                        view.members().stream().map(Member::node).collect(Collectors.toCollection(TreeSet::new)),
                        view.members().stream().anyMatch(member -> member.role() == Role.TRAINER));
                long incarnation = host.incarnation;
                at(0, () -> deliverIf(host, incarnation, () -> health(host, members))); // after this step's effects
            }
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

    /** The processes of a machine use the folder in turn; a process that dies meanwhile may or may not have written. */
    private void vote(Actor host, VoterTask task) {
        Folder folder = host.folder;
        long begins = Math.max(now(), folder.freeAt);
        folder.freeAt = begins + folder.writeNanos + random.nextLong(2 * MILLI);
        long incarnation = host.incarnation;
        at(folder.freeAt - now(), () -> {
            boolean isThere = host.isUp && host.incarnation == incarnation;
            if (isThere || random.nextBoolean()) {
                VoterAnswer answer = cast(host, task);
                deliverIf(host, incarnation, () -> view(host, new ViewEvent.Voted(task, answer)));
            }
        });
    }

    private void deliverIf(Actor host, long incarnation, Runnable what) {
        if (host.isUp && host.incarnation == incarnation) {
            deliver(host, what);
        }
    }

    private VoterAnswer cast(Actor host, VoterTask task) {
        Disk disk = host.folder.disk;
        if (task instanceof VoterTask.Retain(var used)) {
            return new VoterAnswer.Retained(disk.retain(host.id.peer(), used, now(), KEEP_NANOS));
        }
        Lineage lineage = Voter.lineage(task).orElseThrow();
        Voter.Decision decision = Voter.decide(host.id.peer(), disk.record(lineage), task);
        if (decision.write().isEmpty()) {
            return decision.answer();
        }
        if (host.folder.isFull) {
            return new VoterAnswer.Failed("no space left");
        }
        LineageRecord record = decision.write().get();
        checker.recorded(host.id, disk.record(lineage), record);
        disk.save(record, now());
        host.folder.writes++;
        return decision.answer();
    }

    void send(Actor host, NodeId to, Message message) {
        Actor target = hosts.get(to);
        if (isTracing && !(message instanceof Message.Heartbeat)) {
            log(host, "-> " + to.shortText() + " " + message);
        }
        if (message instanceof Message.Commit(View view)) {
            checker.learned(view);
        } else if (message instanceof Message.Here here && here.status().isPresent()) {
            checker.answered(host.id, host.incarnation, here.lineage(), here.epoch(), here.ballot());
        }
        assertTravels(message);
        if (target == null || cuts.contains(new Pair(host.id, to))) {
            return;
        }
        long from = host.incarnation;
        long incarnation = target.incarnation;
        at(100_000 + random.nextLong(2 * MILLI), () -> {
            if (target.isUp && target.incarnation == incarnation) {
                deliver(target, () -> receive(target, host.id, from, message));
            }
        });
    }

    private void receive(Actor host, NodeId from, long incarnation, Message message) {
        if (message instanceof Message.Heartbeat beat) {
            health(host, new HealthMachine.Event.HeartbeatHeard(from, incarnation, beat.beat()));
        } else {
            health(host, new HealthMachine.Event.Heard(from, incarnation));
        }
        view(host, new ViewEvent.Received(from, incarnation, message));
    }

    /** One message of a hundred is encoded and decoded. */
    private void assertTravels(Message message) {
        if (random.nextInt(100) == 0) {
            try {
                assertEquals(
                        message,
                        MessageEncoding.decode(MessageEncoding.kind(message), MessageEncoding.encode(message)));
            } catch (MalformedMessageException wrong) {
                throw new AssertionError(wrong);
            }
        }
    }

    /** Whether one view that lists exactly the nodes that are up is installed at all of them. */
    boolean isUnited() {
        List<Actor> up = hosts.values().stream().filter(host -> host.isUp).toList();
        View first = up.getFirst().state().view();
        return first.members().size() == up.size()
                && up.stream().allMatch(host -> host.state().view().equals(first))
                && up.stream().noneMatch(host -> host.state().isFrozen());
    }

    /** Runs until all nodes that are up are united; fails after {@code timeout}. Returns how long that took. */
    long unite(long timeout, String where) {
        return await(this::isUnited, timeout, where);
    }

    /** Runs until a condition holds; fails after {@code timeout}. Returns how long that took. */
    long await(BooleanSupplier condition, long timeout, String where) {
        long begin = now();
        while (!condition.getAsBoolean()) {
            assertTrue(now() - begin < timeout, () -> where + ": not after " + timeout / SECOND + " s:" + describe());
            run(now() + 50 * MILLI);
        }
        return now() - begin;
    }

    String describe() {
        var text = new StringBuilder();
        for (Actor host : hosts.values()) {
            text.append('\n').append(host.id.shortText()).append(host.isUp ? " up " : " down ");
            if (host.state != null) {
                ViewState state = host.state();
                text.append(state.election())
                        .append(' ')
                        .append(narrator.text(state.view()))
                        .append(state.isFrozen() ? " frozen" : "")
                        .append(" pending=")
                        .append(state.pending())
                        .append(' ')
                        .append(state.refusals());
            }
        }
        return text + "\n" + String.join("\n", trace.subList(Math.max(0, trace.size() - 400), trace.size()));
    }

    private void log(Actor host, String what) {
        if (isTracing) {
            trace.add(now() / 1_000 + " us " + host.id.shortText() + "." + host.incarnation + " " + what);
        }
    }
}
