package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;

import io.hearth.collective.group.CollectiveResolver;
import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.health.HealthMachine;
import io.hearth.election.health.HealthState;
import io.hearth.election.health.PeerHealth;
import io.hearth.election.view.StateRules;
import io.hearth.election.view.ViewEffect;
import io.hearth.election.view.ViewEvent;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.ViewState;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One start of a node: its machines, and a shell that carries their effects out in the simulated world. */
final class NodeProcess {
    private static final long TICK_MIN_NANOS = MILLI;

    final World world;
    final Host host;
    final long incarnation;

    private final ViewMachine machine;
    private final HealthMachine watch;
    private final Deque<Runnable> backlog = new ArrayDeque<>(); // what came while it stood still
    private final Deque<ViewEvent> waiting = new ArrayDeque<>();
    private final @Nullable Trainer trainer;
    private final DiscoveryStub stub;
    private final Step<ViewState, ViewEffect> first;
    private ViewState state;
    private HealthState health;
    private long pausedSince = -World.WELL_NANOS;
    private long pausedUntil = -World.WELL_NANOS;
    private long tickAt = Long.MAX_VALUE;
    private boolean stepping;
    private boolean isLeaving;

    NodeProcess(World world, Host host) {
        this.world = world;
        this.host = host;
        var start = world.hooks.start(new ViewMachine.Start(
                world.wallMillis(host.home),
                host.disk.load(world.hooks),
                host.id,
                host.disk.nextStart(host.id),
                host.role,
                host.group,
                world.random.nextLong()));
        this.incarnation = start.incarnation();
        this.watch = new HealthMachine(world.spans.health());
        this.machine = new ViewMachine(
                world.config, world.liar.resolver(host, world.hooks.resolver(new CollectiveResolver())));
        this.health = HealthState.empty(world.now());
        this.first = machine.start(start, world.now());
        this.state = first.state();
        this.stub = new DiscoveryStub(this);
        this.trainer = host.role == Role.TRAINER ? new Trainer(this) : null;
    }

    /** Carries out what the start asked for. */
    void begin() {
        carryOut(new ViewEvent.Tick(), first);
        scheduleTick();
    }

    ViewState state() {
        return state;
    }

    Optional<Trainer> trainer() {
        return Optional.ofNullable(trainer);
    }

    DiscoveryStub stub() {
        return stub;
    }

    boolean isAlive() {
        return host.runs(this);
    }

    /** It was asked to go. */
    boolean isLeaving() {
        return isLeaving;
    }

    boolean isPaused() {
        return world.now() < pausedUntil();
    }

    /** When it goes on after a pause, or went on last. */
    long pausedUntil() {
        return pausedUntil;
    }

    /** How long its last pause is or was. */
    long pauseNanos() {
        return pausedUntil - pausedSince;
    }

    void pause(long nanos) {
        if (!isPaused()) {
            pausedSince = world.now();
        }
        pausedUntil = Math.max(pausedUntil, world.now() + nanos);
    }

    /** To a process that stands still, things happen when it goes on. */
    void deliver(Runnable what) {
        if (!isAlive()) {
            return;
        }
        if (isPaused() || !backlog.isEmpty()) {
            if (backlog.isEmpty()) {
                world.after(pausedUntil() - world.now(), this::goOn);
            }
            backlog.add(what);
            return;
        }
        what.run();
        scheduleTick();
    }

    private void goOn() {
        if (isAlive() && isPaused()) {
            world.after(pausedUntil() - world.now(), this::goOn);
            return;
        }
        while (isAlive() && !isPaused() && !backlog.isEmpty()) {
            backlog.remove().run();
        }
        if (isAlive() && !backlog.isEmpty()) {
            world.after(pausedUntil() - world.now(), this::goOn);
        }
        scheduleTick();
    }

    private void scheduleTick() {
        if (!isAlive()) {
            return;
        }
        long now = world.now();
        long sleep =
                Math.min(stub.sleepNanos(), Math.min(machine.sleepNanos(state, now), watch.sleepNanos(health, now)));
        long due = now + Math.max(TICK_MIN_NANOS, sleep);
        if (due >= tickAt) {
            return;
        }
        tickAt = due;
        world.after(due - now, () -> {
            if (tickAt == due) {
                deliver(() -> {
                    tickAt = Long.MAX_VALUE;
                    tick();
                });
            }
        });
    }

    private void tick() {
        if (watch.sleepNanos(health, world.now()) <= 0) {
            health(new HealthMachine.Event.Tick());
        }
        if (machine.sleepNanos(state, world.now()) <= 0) {
            view(new ViewEvent.Tick());
        }
        if (stub.sleepNanos() <= 0) {
            stub.tick();
        }
    }

    void linked(NodeId peer, long peerIncarnation) {
        world.trace(this, () -> "has a link to " + world.name(peer) + "." + peerIncarnation);
        view(new ViewEvent.Linked(peer, peerIncarnation));
        health(new HealthMachine.Event.Linked(peer, peerIncarnation));
    }

    void unlinked(NodeId peer, long peerIncarnation, boolean refused) {
        world.trace(this, () -> "lost its link to " + world.name(peer) + "." + peerIncarnation);
        view(new ViewEvent.Unlinked(peer, peerIncarnation));
        health(new HealthMachine.Event.LinkLost(peer, peerIncarnation));
        if (refused) {
            health(new HealthMachine.Event.RedialRefused(peer));
        }
        if (trainer != null) {
            trainer.streamBroken(peer, "the link to " + peer.shortText() + " ended");
        }
    }

    void receive(NodeId from, long sender, Message message) {
        health(
                message instanceof Message.Heartbeat beat
                        ? new HealthMachine.Event.HeartbeatHeard(
                                from, sender, beat.sequence(), beat.echo(), beat.echoHeldNanos())
                        : new HealthMachine.Event.Heard(from, sender));
        view(new ViewEvent.Received(from, sender, message));
        for (BugHooks.Forged forged : world.hooks.more(this, from, message)) {
            view(new ViewEvent.Received(forged.from(), forged.incarnation(), forged.message()));
        }
    }

    /** Closes a silent link, to dial anew. */
    private void renew(NodeId peer) {
        Optional<NodeProcess> other = world.cluster.close(this, peer);
        health.peer(peer, world.spans.health(), world.now())
                .map(PeerHealth::incarnation)
                .or(() -> other.map(process -> process.incarnation))
                .ifPresent(known -> unlinked(peer, known, false));
        stub.lost(peer);
    }

    /** Steps the view machine; an event that an effect leads to waits until the effects of its step are done. */
    void view(ViewEvent event) {
        isLeaving |= event instanceof ViewEvent.Leave;
        waiting.add(event);
        if (stepping) {
            return;
        }
        stepping = true;
        try {
            while (!waiting.isEmpty() && isAlive()) {
                ViewEvent next = waiting.remove();
                carryOut(next, machine.step(state, next, world.now()));
            }
        } finally {
            stepping = false;
        }
    }

    private void health(HealthMachine.Event event) {
        if (!isAlive()) {
            return;
        }
        world.tally.event();
        Step<HealthState, HealthMachine.Effect> step = watch.step(health, event, world.now());
        health = step.state();
        for (HealthMachine.Effect effect : step.effects()) {
            switch (effect) {
                case HealthMachine.Effect.SendHeartbeat(NodeId to, long sequence, long echo, long held) ->
                    world.bus.send(this, to, new Message.Heartbeat(state.presence(), sequence, echo, held));
                case HealthMachine.Effect.Suspected(NodeId node, long suspect, String why) -> {
                    world.trace(this, () -> "suspects " + world.name(node) + ": " + why);
                    view(new ViewEvent.Suspected(node, suspect));
                }
                case HealthMachine.Effect.Refused(NodeId node, long gone) -> view(new ViewEvent.Refused(node, gone));
                case HealthMachine.Effect.Trusted(NodeId node, long trusted) -> {
                    world.trace(this, () -> "hears " + world.name(node) + " again");
                    view(new ViewEvent.Trusted(node, trusted));
                }
                case HealthMachine.Effect.Renew(NodeId node, String why) -> {
                    world.trace(this, () -> "gives up its link to " + world.name(node) + ": " + why);
                    world.after(0, () -> deliver(() -> renew(node)));
                }
                case HealthMachine.Effect.Announce _, HealthMachine.Effect.Awoke _ -> {}
            }
        }
    }

    private void carryOut(ViewEvent cause, Step<ViewState, ViewEffect> step) {
        world.tally.event();
        View lived = state.view();
        state = step.state();
        List<ViewEffect> effects = world.hooks.effects(this, cause, step.effects());
        world.injector.beforeEffects(this, effects);
        for (ViewEffect effect : effects) {
            if (!isAlive()) {
                return; // died between two effects
            }
            if (world.isTraced()) {
                world.narrator.line(effect).ifPresent(line -> world.trace(this, () -> line));
            }
            carryOut(effect, lived);
            lived = effect instanceof ViewEffect.Install(View view) ? view : lived;
            world.injector.afterEffect(this, effect);
        }
        StateRules.fault(state).ifPresent(fault -> {
            throw new Violation("state", fault);
        });
    }

    /** {@code lived}: the view that was installed last before this effect. */
    private void carryOut(ViewEffect effect, View lived) {
        switch (effect) {
            case ViewEffect.Vote(VoterTask task) -> host.disk.lock(() -> vote(task));
            case ViewEffect.Send(NodeId to, Message message) -> world.bus.send(this, to, message);
            case ViewEffect.Freeze(Lineage lineage, long epoch) -> freeze(lineage, epoch);
            case ViewEffect.Install(View view) -> {
                world.viewChecker.learned(view);
                world.removals.installed(this, view);
                stub.heardByOthers(view);
                if (trainer != null) {
                    trainer.install(view);
                }
            }
            case ViewEffect.Removed(ViewEffect.Removed.Cause cause, String why) -> {
                world.cluster.removed(this, lived);
                if (cause == ViewEffect.Removed.Cause.LINEAGE_LOST) {
                    world.dissolutions.givenUp(this, lived);
                }
                if (trainer != null && world.hooks.tellsCollectivesOfRemoval()) {
                    trainer.script().removed(why);
                }
            }
            case ViewEffect.Hold(boolean held) -> trainer().ifPresent(trainer -> trainer.hold(held));
            case ViewEffect.Left() -> world.cluster.exit(this);
            case ViewEffect.Announce _,
                    ViewEffect.Pending _,
                    ViewEffect.Rest _ -> {} // a paused process finds all frames when it goes on
        }
    }

    /** The voter has the folder's lock; that of a process which died meanwhile is free at once. */
    private void vote(VoterTask task) {
        if (!isAlive()) {
            host.disk.unlock();
            return;
        }
        OptionalLong nanos = writes(task) ? host.home.write(world.random) : OptionalLong.of(0);
        long span = world.diskNanos() + nanos.orElse(0);
        if (world.hooks.syncsOnLoop()) {
            pause(span);
        }
        world.after(span, () -> voted(task, nanos.isPresent()));
    }

    /** Most of what a voter is told it knows already, and a look at the files syncs nothing. */
    private boolean writes(VoterTask task) {
        return Voter.lineage(task)
                .map(lineage -> Voter.decide(host.id.peer(), host.disk.read(lineage, world.hooks), task))
                .flatMap(Voter.Decision::write)
                .isPresent();
    }

    /** The voter is done with a task. A process that died meanwhile may have written, and tells nobody. */
    private void voted(VoterTask task, boolean isWritable) {
        if (isAlive() || world.random.nextBoolean()) {
            VoterAnswer answer = cast(task, isWritable);
            deliver(() -> view(new ViewEvent.Voted(task, answer)));
        }
        host.disk.unlock();
    }

    private VoterAnswer cast(VoterTask task, boolean isWritable) {
        if (task instanceof VoterTask.Retain(var used)) {
            return new VoterAnswer.Retained(
                    host.disk.retain(host.id.peer(), used, world.now(), world.spans.keepRecordNanos()));
        }
        Lineage lineage = Voter.lineage(task).orElseThrow();
        Optional<LineageRecord> old = host.disk.read(lineage, world.hooks);
        Voter.Decision decision = Voter.decide(host.id.peer(), old, task);
        if (decision.write().isEmpty()) {
            return decision.answer();
        }
        if (!isWritable) {
            return new VoterAnswer.Failed("no space left");
        }
        LineageRecord record = decision.write().get();
        world.viewChecker.recorded(this, old, record);
        world.liar.wrote(record);
        if (world.hooks.isDurable(old, record)) {
            host.disk.save(record, world.now());
        }
        world.injector.afterWrite(this, record);
        return decision.answer();
    }

    /** The data threads may take a while to stop. */
    private void freeze(Lineage lineage, long epoch) {
        long nanos = world.freezeNanos();
        if (nanos == 0) {
            frozen(lineage, epoch);
        } else {
            world.after(nanos, () -> deliver(() -> frozen(lineage, epoch)));
        }
    }

    private void frozen(Lineage lineage, long epoch) {
        if (!state.view().lineage().equals(lineage) || state.view().epoch() != epoch) {
            return; // a successor came meanwhile
        }
        world.viewChecker.froze(lineage, epoch, host.id, incarnation);
        Bytes status = trainer == null ? Bytes.EMPTY : trainer.freeze(lineage, epoch);
        long done = trainer == null ? -1 : trainer.doneUpTo();
        view(new ViewEvent.Frozen(lineage, epoch, Optional.of(status), done));
    }
}
