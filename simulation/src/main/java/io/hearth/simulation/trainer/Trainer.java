package io.hearth.simulation.trainer;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.GroupDecision;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.pair.PairTraffic;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The collectives of one process: the real group machine and a shell around it, as {@code CollectiveEngine} is in a node. Each input and
 * each sum is one number in place of bytes.
 */
public final class Trainer {
    private final ProcessContext process;
    private final WorldSetting setting;
    private final GroupMachine machine;
    private final Script script;
    private final Exchanges exchanges;
    private final PairTraffic pairs;
    private final SubgroupScript subgroups;
    private State state = State.START;
    private @Nullable View view;
    private Status reported = State.START.status("");
    private @Nullable View newest; // newest view since the script ended with an error
    private long loopAt; // when the owner thread gets the last event

    /** {@code fellows} are the trainers that can be reached now. */
    public Trainer(ProcessContext process, Function<NodeId, Optional<Trainer>> fellows) {
        this.process = process;
        this.setting = process.setting();
        this.machine = new GroupMachine(GroupMachine.WINDOW, setting.policy);
        this.script = new Script(process, this);
        this.exchanges = new Exchanges(process, this);
        this.subgroups = new SubgroupScript(process, this);
        this.pairs = new PairTraffic(
                process,
                () -> state,
                () -> !script.isOver() && view != null,
                node -> fellows.apply(node).map(Trainer::pairs));
    }

    public State state() {
        return state;
    }

    public Script script() {
        return script;
    }

    SubgroupScript subgroups() {
        return subgroups;
    }

    PairTraffic pairs() {
        return pairs;
    }

    /** The view that was installed last; empty before the first. */
    Optional<View> view() {
        return Optional.ofNullable(view);
    }

    public long doneUpTo() {
        return state.doneUpTo();
    }

    /** Its status at the last freeze. */
    public Status reported() {
        return reported;
    }

    /** Whether nothing was called yet. */
    public boolean isOpen() {
        return state.next() == 1 && !script.isOver() && !script.isClosing();
    }

    // ---- calls of the application

    void call(Signature signature) {
        step(new Event.Called(signature));
        exchanges.pump();
    }

    // ---- events from the node

    /** Stops the data threads and returns the status of the group. */
    public Bytes freeze(Lineage lineage, long epoch) {
        var now = new Event.Freeze(new GroupMachine.Frozen(WorldSetting.text(lineage), epoch));
        reported = state.status(WorldSetting.text(lineage));
        Bytes status = CollectiveMessages.encode(subgroups.freeze(reported, now.frozen()));
        long late = setting.hooks.lateFreezeNanos();
        if (late == 0) {
            step(now);
        } else {
            setting.after(
                    late,
                    () -> process.deliver(() -> {
                        if (view != null && view.epoch() == epoch) {
                            step(now);
                        }
                    }));
        }
        if (setting.hooks.thawNanos() < Long.MAX_VALUE) {
            setting.after(setting.hooks.thawNanos(), () -> process.deliver(() -> thaw(epoch)));
        }
        return status;
    }

    private void thaw(long epoch) {
        if (state.frozen().filter(frozen -> frozen.epoch() == epoch).isPresent()) {
            state = thawed(state);
            exchanges.pump();
        }
    }

    public void install(View next) {
        if (!script.isOver() && !state.mayGoOnIn(WorldSetting.text(next.lineage()))) {
            script.removed("it began in another lineage");
        }
        if (script.isOver()) {
            newest = next;
            return;
        }
        enter(next);
        exchanges.pump();
        pairs.pump();
        script.considerBeginning(state.layout().members().size());
        script.callNext();
    }

    private void enter(View next) {
        view = next;
        String lineage = WorldSetting.text(next.lineage());
        GroupView groupView = next.groupView(process.host().group).orElseThrow();
        List<NodeId> members =
                next.group(process.host().group).stream().map(Member::node).toList();
        GroupDecision decision;
        try {
            decision = CollectiveMessages.decision(groupView.resolution());
        } catch (MalformedMessageException malformed) {
            Violation.unless(
                    process.surroundings().areResultsForged(),
                    "resolution",
                    () -> String.valueOf(malformed.getMessage()));
            script.removed("what was decided cannot be read");
            return;
        }
        pairs.installed(next);
        step(new Event.Installed(
                new GroupMachine.Frozen(lineage, next.epoch()),
                lineage + "/" + groupView.epoch(),
                members,
                next.members().size() > 1,
                decision.group()));
        subgroups.install(next, decision);
    }

    /** The application got an error: it takes part in nothing before it comes back. */
    void finish() {
        subgroups.end();
        pairs.over();
        newest = null; // it does not come back into the view in which it ended
        tellLoop(new ViewEvent.Progress(
                state.doneUpTo(), state.next() == 1 ? GroupPhase.FRESH : GroupPhase.BUSY)); // it waits for no step
    }

    /** Begins again in the newest known view. */
    void comeBack() {
        exchanges.releaseAll();
        state = state.returned();
        if (newest != null) {
            enter(newest);
        }
    }

    public void streamBroken(NodeId peer, String why) {
        subgroups.streamBroken(peer, why);
        exchanges.stateLost(peer, why);
        if (exchanges.areOpen() && !script.isOver() && state.layout().members().contains(peer)) {
            step(new Event.StreamBroken(state.layout().fence(), peer, why));
        }
    }

    /** A stream breaks though both ends live. */
    public boolean breakStream(SplittableRandom random) {
        List<NodeId> members = state.layout().members();
        if (!exchanges.areOpen() || script.isOver() || members.size() < 2) {
            return false;
        }
        NodeId peer = members.get(random.nextInt(members.size()));
        if (peer.equals(process.id())) {
            return false;
        }
        String why = "the stream to " + peer.shortText() + " was reset";
        if (exchanges.stateLost(peer, why)) {
            return true;
        }
        streamBroken(peer, why);
        return true;
    }

    public void receive(GroupFrame frame) {
        if (SubgroupScript.isFor(frame)) {
            subgroups.receive(frame);
            return;
        }
        exchanges.receive(frame); // kept while it is out, too: it may belong to the group that it comes back into
    }

    // ---- the group machine and its effects

    void step(Event event) {
        setting.statistics.event();
        String fence = state.layout().fence();
        Step<State, Effect> step = machine.step(state, event, setting.now());
        state = setting.hooks.remembered(step.state());
        if (!state.layout().fence().equals(fence)) {
            exchanges.enter(fence);
            pairs.renewed();
        }
        step.effects().forEach(this::carryOut);
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Abandon() -> {} // entering the new fence dropped everything of the former
            case Effect.RollBack(long number) -> {
                if (setting.hooks.keeps(ShellRule.ROLL_BACK)) {
                    exchanges.settleMemory(number);
                }
            }
            case Effect.Commit(long number) -> exchanges.settleMemory(number);
            case Effect.Run(long number, Optional<CallRejection> doomed) ->
                script.call(number).ifPresent(call -> exchanges.run(number, call, doomed));
            case Effect.Forward forward -> exchanges.forward(forward);
            case Effect.End(var outcome) -> {
                if (view != null) {
                    var sum = outcome.refusal().isPresent()
                            ? Optional.<GroupFrame.Sum>empty()
                            : exchanges.result(outcome.number());
                    script.ended(outcome, sum, view);
                }
                if (outcome.bytes() == 0 && !script.wasAgreement(outcome.number())) {
                    exchanges.release(outcome.number());
                }
            }
            case Effect.Release(long number) -> exchanges.release(number);
            case Effect.Replan() -> exchanges.replan(); // frames travel the same way by every plan
            case Effect.ReportLack _ -> {}
            case Effect.ReportBroken(NodeId peer, String why) -> {
                process.trace(() -> "the stream to " + setting.name(peer) + " broke");
                tellLoop(new ViewEvent.GroupBroken(peer, why));
            }
            case Effect.Renumber(long from, long to) -> {
                exchanges.settleMemory(from);
                if (setting.hooks.keeps(ShellRule.NEW_NUMBER)) {
                    script.renumber(from, to);
                }
            }
            case Effect.ReportProgress(long doneUpTo, GroupPhase phase) ->
                tellLoop(new ViewEvent.Progress(doneUpTo, setting.hooks.admitsAtWork() ? GroupPhase.FRESH : phase));
        }
    }

    /** Sets whether the next step has to wait. */
    public void hold(boolean held) {
        boolean isHeld = held && setting.hooks.keeps(ShellRule.STEP_HOLD);
        if (script.isOver()) {
            state = state.held(isHeld);
        } else {
            step(new Event.Held(isHeld));
            exchanges.pump();
        }
    }

    /** The group without its freeze. */
    private static GroupMachine.State thawed(GroupMachine.State state) {
        return new GroupMachine.State(
                state.layout(),
                state.settled(),
                state.numbers(),
                state.decided(),
                state.entry(),
                Optional.empty(),
                state.broken());
    }

    /** Passes an event to the owner thread a moment later, in order; messages of other nodes may overtake it. */
    void tellLoop(ViewEvent event) {
        loopAt = Math.max(loopAt, setting.now() + setting.random.nextLong(MILLI));
        setting.after(loopAt - setting.now(), () -> process.deliver(() -> process.view(event)));
    }
}
