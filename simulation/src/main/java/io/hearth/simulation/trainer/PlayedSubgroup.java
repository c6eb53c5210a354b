package io.hearth.simulation.trainer;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupDecision;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.collective.group.Status;
import io.hearth.collective.group.SubgroupId;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.core.Step;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.rule.SubgroupChecker;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** One subgroup at one member: the real group machine, and sums of one number each, as {@code Subgroup} has them in a node. */
final class PlayedSubgroup {
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);

    private final SubgroupId id;
    private final ProcessContext process;
    private final WorldSetting setting;
    private final Trainer trainer;
    private final GroupMachine machine;
    private final ReceivedFrames received = new ReceivedFrames(_ -> {});
    private final String lineage;
    private final List<NodeId> all;
    private List<NodeId> members;
    private State state = State.START;
    private long value;

    PlayedSubgroup(SubgroupId id, List<NodeId> members, String lineage, ProcessContext process, Trainer trainer) {
        this.id = id;
        this.all = members;
        this.members = members;
        this.lineage = lineage;
        this.process = process;
        this.setting = process.setting();
        this.trainer = trainer;
        this.machine = new GroupMachine(1, setting.policy);
    }

    SubgroupId id() {
        return id;
    }

    /** Whether a call has not ended. */
    boolean isOpen() {
        return !state.open().isEmpty();
    }

    long calls() {
        return state.next() - 1;
    }

    void call() {
        value = setting.subgroups.random.nextLong();
        process.trace(() -> "calls number " + state.next() + " of subgroup " + id.text());
        step(new Event.Called(SUM));
        pump();
    }

    Status freeze(GroupMachine.Frozen view) {
        Status status = state.status(lineage);
        step(new Event.Freeze(view));
        return status;
    }

    /** Takes a view of the group; returns whether this member stays in the subgroup. */
    boolean install(View view, String inLineage, String groupFence, GroupDecision decision) {
        List<NodeId> present = view.group(process.host().group).stream()
                .map(member -> member.node())
                .toList();
        members = (setting.hooks.keeps(ShellRule.SUBGROUP_SHRINKS) ? members : all)
                .stream().filter(present::contains).toList();
        if (!inLineage.equals(lineage) || !members.contains(process.id())) {
            return false;
        }
        String fence = groupFence + ":" + id.text();
        String former = state.layout().fence();
        step(new Event.Installed(
                new GroupMachine.Frozen(lineage, view.epoch()),
                fence,
                members,
                view.members().size() > 1,
                decision.of(id).among(members)));
        if (!fence.equals(former)) {
            setting.subgroups.entered(fence, members);
        }
        pump();
        return true;
    }

    void streamBroken(NodeId peer, String why) {
        if (received.isOpen() && members.contains(peer)) {
            step(new Event.StreamBroken(fence(), peer, why));
        }
    }

    void receive(GroupFrame frame) {
        if (received.receive(frame, fence(), setting.hooks.keeps(ShellRule.FENCE))) {
            pump();
        }
    }

    private String fence() {
        return state.layout().fence();
    }

    private void step(Event event) {
        setting.statistics.event();
        String former = fence();
        Step<State, Effect> step = machine.step(state, event, setting.now());
        state = step.state();
        if (!fence().equals(former)) {
            received.enter(former, fence());
        }
        step.effects().forEach(this::carryOut);
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Run(long number, Optional<CallRejection> doomed) -> run(number, doomed);
            case Effect.Forward forward -> forward(forward);
            case Effect.End(Status.Kept outcome) -> end(outcome);
            case Effect.Release(long number) -> received.release(number);
            case Effect.ReportBroken(NodeId peer, String why) -> trainer.tellLoop(new ViewEvent.GroupBroken(peer, why));
            case Effect.Abandon _,
                    Effect.RollBack _,
                    Effect.Commit _,
                    Effect.Replan _,
                    Effect.Renumber _,
                    Effect.ReportLack _,
                    Effect.ReportProgress _ -> {}
        }
    }

    private void run(long number, Optional<CallRejection> doomed) {
        received.open();
        setting.subgroups.gave(fence(), process.id(), number, value);
        var share = new GroupFrame.Share(value, 0, doomed);
        received.input(number, process.id(), share);
        toOthers(new GroupFrame.Input(fence(), number, process.id(), share));
    }

    private void forward(Effect.Forward forward) {
        received.open();
        if (forward.holder().equals(process.id())) {
            received.result(forward.number()).ifPresent(sum -> {
                received.carried(forward.number(), sum);
                toOthers(new GroupFrame.Carried(fence(), forward.number(), sum));
                hold(forward.number());
            });
        }
    }

    private void hold(long number) {
        received.held(number, process.id());
        toOthers(new GroupFrame.Held(fence(), number, process.id()));
    }

    private void toOthers(GroupFrame frame) {
        for (NodeId member : state.layout().members()) {
            if (!member.equals(process.id())) {
                process.surroundings().stream(process, member, frame);
            }
        }
    }

    private void end(Status.Kept outcome) {
        Optional<SubgroupChecker.Sum> sum = outcome.refusal().isPresent()
                ? Optional.empty()
                : received.result(outcome.number())
                        .map(known -> new SubgroupChecker.Sum(known.fence(), known.value(), known.contributors()));
        process.trace(() -> "ends number " + outcome.number() + " of subgroup " + id.text() + " with " + sum);
        setting.subgroups.ended(
                id,
                outcome.number(),
                new SubgroupChecker.Start(process.id(), process.incarnation()),
                sum,
                trainer.view().flatMap(view -> setting.viewChecker.newest(view.lineage())));
        trainer.subgroups().ended();
    }

    /** Ends every call whose data is complete. */
    private void pump() {
        boolean again = true;
        while (again
                && !trainer.script().isOver()
                && process.isAlive()
                && state.frozen().isEmpty()
                && state.broken().isEmpty()) {
            again = state.forwards().isEmpty() ? finishOne() : forwardOne();
        }
    }

    private boolean finishOne() {
        var complete = received.complete(state);
        if (complete.isEmpty()) {
            return false;
        }
        long number = complete.get().getKey();
        var got = complete.get().getValue();
        Optional<CallRejection> doom =
                got.values().stream().flatMap(share -> share.doomed().stream()).findFirst();
        if (doom.isPresent()) {
            step(new Event.Rejected(number, fence(), doom.get()));
        } else {
            long sum = got.values().stream().mapToLong(GroupFrame.Share::value).sum();
            received.result(
                    number, new GroupFrame.Sum(fence(), 0, sum, state.layout().members()));
            step(new Event.Finished(number, fence()));
        }
        step(new Event.EndedByAll(number - 1));
        return true;
    }

    private boolean forwardOne() {
        var next = received.passedOn(state, process.id());
        if (next.isEmpty()) {
            return false;
        }
        long number = next.get().number();
        if (received.holders(number).containsAll(new TreeSet<>(state.layout().members()))) {
            received.result(number, received.carried(number).orElseThrow());
            step(new Event.Forwarded(number, fence()));
        } else {
            hold(number);
        }
        return true;
    }
}
