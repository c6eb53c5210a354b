package io.hearth.simulation.cluster;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.election.Beat;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.health.HealthMachine;
import io.hearth.election.health.HealthState;
import io.hearth.election.health.PeerHealth;
import io.hearth.election.health.Silence;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.StateRules;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.vote.Voter;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.Surroundings;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import io.hearth.simulation.trainer.Trainer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One start of a node: its machines, and a shell that carries their effects out in the simulated world. */
public final class NodeProcess extends PausableProcess {
    private static final long TICK_MIN_NANOS = MILLI;

    private final ProcessListener listener;
    private final ViewMachine machine;
    private final HealthMachine watch;
    private final Deque<ViewEvent> waiting = new ArrayDeque<>();
    private final @Nullable Trainer trainer;
    private final Neighbours neighbours;
    private final DiscoveryStub stub;
    private final Step<ViewState, ViewEffect> first;
    private ViewState state;
    private HealthState health;
    private long tickAt = Long.MAX_VALUE;
    private boolean stepping;
    private boolean isLeaving;

    NodeProcess(
            WorldSetting setting,
            Surroundings surroundings,
            ProcessListener listener,
            Neighbours neighbours,
            Function<NodeId, Optional<NodeProcess>> others,
            Host host) {
        this(setting, surroundings, listener, neighbours, others, host, start(setting, host));
    }

    private NodeProcess(
            WorldSetting setting,
            Surroundings surroundings,
            ProcessListener listener,
            Neighbours neighbours,
            Function<NodeId, Optional<NodeProcess>> others,
            Host host,
            ViewMachine.Start start) {
        super(setting, surroundings, host, start.incarnation());
        this.listener = listener;
        this.watch = new HealthMachine(setting.spans.health());
        this.machine = new ViewMachine(
                setting.config, listener.resolver(host, setting.hooks.resolver(new CollectiveResolver())));
        this.health = watch.start(setting.now());
        this.first = machine.start(start, setting.now());
        this.state = first.state();
        this.stub = new DiscoveryStub(this, neighbours);
        this.neighbours = neighbours;
        this.trainer = host.role == Role.TRAINER
                ? new Trainer(
                        this,
                        node -> others.apply(node)
                                .filter(other -> !other.isPaused())
                                .flatMap(NodeProcess::trainer))
                : null;
    }

    private static ViewMachine.Start start(WorldSetting setting, Host host) {
        return setting.hooks.start(new ViewMachine.Start(
                setting.wallMillis(host.home),
                host.disk.load(setting.hooks::rebuild),
                host.id,
                host.disk.nextStart(host.id),
                host.role,
                host.group,
                setting.random.nextLong()));
    }

    /** Carries out what the start asked for. */
    void begin() {
        carryOut(new ViewEvent.Tick(), first);
        scheduleTick();
    }

    @Override
    public ViewState state() {
        return state;
    }

    /** The span of silence in force here. */
    public long silenceNanos() {
        return health.silence().nanos();
    }

    public Optional<Trainer> trainer() {
        return Optional.ofNullable(trainer);
    }

    DiscoveryStub stub() {
        return stub;
    }

    @Override
    public boolean isLeaving() {
        return isLeaving;
    }

    @Override
    public Optional<String> fence() {
        return trainer().map(trainer -> trainer.state().layout().fence());
    }

    @Override
    public Bytes status(Lineage lineage) {
        return trainer()
                .map(trainer -> CollectiveMessages.encode(trainer.state().status(WorldSetting.text(lineage))))
                .orElse(Bytes.EMPTY);
    }

    @Override
    public void scheduleTick() {
        if (!isAlive()) {
            return;
        }
        long now = setting.now();
        long sleep =
                Math.min(stub.sleepNanos(), Math.min(machine.sleepNanos(state, now), watch.sleepNanos(health, now)));
        long due = now + Math.max(TICK_MIN_NANOS, sleep);
        if (due >= tickAt) {
            return;
        }
        tickAt = due;
        setting.after(due - now, () -> {
            if (tickAt == due) {
                deliver(() -> {
                    tickAt = Long.MAX_VALUE;
                    tick();
                });
            }
        });
    }

    private void tick() {
        if (watch.sleepNanos(health, setting.now()) <= 0) {
            health(new HealthMachine.Event.Tick());
        }
        if (machine.sleepNanos(state, setting.now()) <= 0) {
            view(new ViewEvent.Tick());
        }
        if (stub.sleepNanos() <= 0) {
            stub.tick();
        }
    }

    public void linked(NodeId peer, long peerIncarnation) {
        trace(() -> "has a link to " + setting.name(peer) + "." + peerIncarnation);
        view(new ViewEvent.Linked(peer, peerIncarnation));
        health(new HealthMachine.Event.Linked(peer, peerIncarnation));
    }

    void unlinked(NodeId peer, long peerIncarnation, boolean refused) {
        trace(() -> "lost its link to " + setting.name(peer) + "." + peerIncarnation);
        view(new ViewEvent.Unlinked(peer, peerIncarnation));
        health(new HealthMachine.Event.LinkLost(peer, peerIncarnation));
        if (refused) {
            health(new HealthMachine.Event.RedialRefused(peer));
        }
        if (trainer != null) {
            trainer.streamBroken(peer, "the link to " + peer.shortText() + " ended");
        }
    }

    public void receive(NodeId from, long sender, Message message) {
        health(
                message instanceof Message.Heartbeat beat
                        ? new HealthMachine.Event.HeartbeatHeard(from, sender, heard(beat.beat()))
                        : new HealthMachine.Event.Heard(from, sender));
        view(new ViewEvent.Received(from, sender, message));
        for (BugHooks.Forged forged : setting.hooks.more(this, from, message)) {
            view(new ViewEvent.Received(forged.from(), forged.incarnation(), forged.message()));
        }
    }

    private Beat heard(Beat beat) {
        return setting.hooks.keeps(ShellRule.SILENCE_WISH)
                ? beat
                : new Beat(beat.sequence(), beat.echo(), beat.echoHeldNanos(), 0);
    }

    /** Closes a silent link, so that it is dialled again. */
    private void renew(NodeId peer) {
        OptionalLong other = neighbours.close(this, peer);
        health.peer(peer, setting.spans.health(), setting.now())
                .map(PeerHealth::incarnation)
                .or(() -> other.isPresent() ? Optional.of(other.getAsLong()) : Optional.empty())
                .ifPresent(known -> unlinked(peer, known, false));
        stub.lost(peer);
    }

    /** Steps the view machine; an event that an effect leads to waits until the effects of its step are done. */
    @Override
    public void view(ViewEvent event) {
        isLeaving |= event instanceof ViewEvent.Leave;
        waiting.add(event);
        if (stepping) {
            return;
        }
        stepping = true;
        try {
            while (!waiting.isEmpty() && isAlive()) {
                ViewEvent next = waiting.remove();
                carryOut(next, machine.step(state, next, setting.now()));
            }
        } finally {
            stepping = false;
        }
    }

    private void health(HealthMachine.Event event) {
        if (!isAlive()) {
            return;
        }
        setting.statistics.event();
        Step<HealthState, HealthMachine.Effect> step = watch.step(health, event, setting.now());
        health = step.state();
        for (HealthMachine.Effect effect : step.effects()) {
            switch (effect) {
                case HealthMachine.Effect.SendHeartbeat(NodeId to, Beat beat) ->
                    surroundings.send(this, to, new Message.Heartbeat(state.presence(), beat));
                case HealthMachine.Effect.SilenceChosen(Silence silence) ->
                    view(new ViewEvent.SilenceChosen(silence.nanos()));
                case HealthMachine.Effect.Suspected(NodeId node, long suspect, String why) -> {
                    trace(() -> "suspects " + setting.name(node) + ": " + why);
                    view(new ViewEvent.Suspected(node, suspect));
                }
                case HealthMachine.Effect.ProcessEnded(NodeId node, long gone) ->
                    view(new ViewEvent.ProcessEnded(node, gone));
                case HealthMachine.Effect.Trusted(NodeId node, long trusted) -> {
                    trace(() -> "hears " + setting.name(node) + " again");
                    view(new ViewEvent.Trusted(node, trusted));
                }
                case HealthMachine.Effect.Renew(NodeId node, String why) -> {
                    trace(() -> "gives up its link to " + setting.name(node) + ": " + why);
                    setting.after(0, () -> deliver(() -> renew(node)));
                }
                case HealthMachine.Effect.Announce _, HealthMachine.Effect.Awoke _ -> {}
            }
        }
    }

    private void carryOut(ViewEvent cause, Step<ViewState, ViewEffect> step) {
        setting.statistics.event();
        View lived = state.view();
        state = step.state();
        List<ViewEffect> effects = setting.hooks.effects(this, cause, step.effects());
        listener.beforeEffects(this, effects);
        for (ViewEffect effect : effects) {
            if (!isAlive()) {
                return; // it died between two effects
            }
            if (setting.isTraced()) {
                setting.narrator.line(effect).ifPresent(line -> trace(() -> line));
            }
            carryOut(effect, lived);
            lived = effect instanceof ViewEffect.Install(View view) ? view : lived;
            listener.afterEffect(this, effect);
        }
        StateRules.fault(state).ifPresent(fault -> {
            throw new Violation("state", fault);
        });
    }

    /** {@code lived} is the last view that was installed before this effect. */
    private void carryOut(ViewEffect effect, View lived) {
        switch (effect) {
            case ViewEffect.Vote(VoterTask task) -> host.disk.lock(() -> vote(task));
            case ViewEffect.Send(NodeId to, Message message) -> surroundings.send(this, to, message);
            case ViewEffect.Freeze(Lineage lineage, long epoch) -> freeze(lineage, epoch);
            case ViewEffect.Install(View view) -> {
                setting.viewChecker.learned(view);
                health(new HealthMachine.Event.Members(
                        view.members().stream().map(Member::node).collect(Collectors.toCollection(TreeSet::new)),
                        view.members().stream().anyMatch(member -> member.role() == Role.TRAINER)));
                listener.installed(this, view);
                stub.heardByOthers(view);
                if (trainer != null) {
                    trainer.install(view);
                }
            }
            case ViewEffect.Removed(ViewEffect.Removed.Cause cause, String why) -> {
                listener.removed(this, lived);
                if (cause == ViewEffect.Removed.Cause.LINEAGE_LOST) {
                    listener.gaveUp(this, lived);
                }
                if (trainer != null && setting.hooks.keeps(ShellRule.REMOVAL_REPORT)) {
                    trainer.script().removed(why);
                }
            }
            case ViewEffect.Hold(boolean held) -> trainer().ifPresent(trainer -> trainer.hold(held));
            case ViewEffect.Left() -> surroundings.exit(this);
            case ViewEffect.Announce _,
                    ViewEffect.Pending _,
                    ViewEffect.Rest _ -> {} // a paused process finds all frames when it goes on
        }
    }

    /** The voter has the folder's lock. A process that died meanwhile frees it at once. */
    private void vote(VoterTask task) {
        if (!isAlive()) {
            host.disk.unlock();
            return;
        }
        OptionalLong nanos = writes(task) ? host.home.write(setting.random) : OptionalLong.of(0);
        long span = setting.diskNanos() + nanos.orElse(0);
        if (!setting.hooks.keeps(ShellRule.SYNC_ELSEWHERE)) {
            pause(span);
        }
        setting.after(span, () -> voted(task, nanos.isPresent()));
    }

    /** Whether a task needs a write. Most tasks hold nothing new, and a read syncs nothing. */
    private boolean writes(VoterTask task) {
        return Voter.lineage(task)
                .map(lineage -> Voter.decide(host.id.peer(), host.disk.read(lineage, setting.hooks::rebuild), task))
                .flatMap(Voter.Decision::write)
                .isPresent();
    }

    /** The voter is done with a task. A process that died meanwhile may have written, but sends no answer. */
    private void voted(VoterTask task, boolean isWritable) {
        if (isAlive() || setting.random.nextBoolean()) {
            VoterAnswer answer = cast(task, isWritable);
            deliver(() -> view(new ViewEvent.Voted(task, answer)));
        }
        host.disk.unlock();
    }

    private VoterAnswer cast(VoterTask task, boolean isWritable) {
        if (task instanceof VoterTask.Retain(var used)) {
            return new VoterAnswer.Retained(
                    host.disk.retain(host.id.peer(), used, setting.now(), setting.spans.keepRecordNanos()));
        }
        Lineage lineage = Voter.lineage(task).orElseThrow();
        Optional<LineageRecord> old = host.disk.read(lineage, setting.hooks::rebuild);
        Voter.Decision decision = Voter.decide(host.id.peer(), old, task);
        if (decision.write().isEmpty()) {
            return decision.answer();
        }
        if (!isWritable) {
            return new VoterAnswer.Failed("no space left");
        }
        LineageRecord record = decision.write().get();
        setting.viewChecker.recorded(host.id, old, record);
        listener.writes(record);
        if (setting.hooks.isDurable(old, record)) {
            host.disk.save(record, setting.now());
        }
        listener.afterWrite(this, record);
        return decision.answer();
    }

    /** The data threads may take a while to stop. */
    private void freeze(Lineage lineage, long epoch) {
        long nanos = setting.freezeNanos();
        if (nanos == 0) {
            frozen(lineage, epoch);
        } else {
            setting.after(nanos, () -> deliver(() -> frozen(lineage, epoch)));
        }
    }

    private void frozen(Lineage lineage, long epoch) {
        if (!state.view().lineage().equals(lineage) || state.view().epoch() != epoch) {
            return; // a successor was installed meanwhile
        }
        setting.viewChecker.froze(lineage, epoch, host.id, incarnation);
        Bytes status = trainer == null ? Bytes.EMPTY : trainer.freeze(lineage, epoch);
        long done = trainer == null ? -1 : trainer.doneUpTo();
        view(new ViewEvent.Frozen(lineage, epoch, Optional.of(status), done));
    }
}
