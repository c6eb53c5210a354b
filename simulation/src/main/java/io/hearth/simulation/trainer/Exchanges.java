package io.hearth.simulation.trainer;

import io.hearth.collective.Signature;
import io.hearth.collective.group.ByNumber;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.collective.group.Resolution;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.call.Parts;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import io.hearth.topology.plan.Plan;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/** The data exchange of one trainer: inputs to all, a root's value to all, parts to their ranks, and results from their holders. */
final class Exchanges {
    private final ProcessContext process;
    private final WorldSetting setting;
    private final Trainer trainer;
    private final Plans plans;
    private final Boundary boundary;
    private final ReceivedFrames received;
    private final Set<Long> unsettledMemory = new HashSet<>();

    Exchanges(ProcessContext process, Trainer trainer) {
        this.process = process;
        this.setting = process.setting();
        this.trainer = trainer;
        this.plans = new Plans(process, trainer);
        this.boundary = new Boundary(process, trainer, this, plans);
        this.received = new ReceivedFrames(this::atBoundary);
    }

    private State state() {
        return trainer.state();
    }

    private String fence() {
        return state().layout().fence();
    }

    /** Whether anything was sent in this group epoch. */
    boolean areOpen() {
        return received.isOpen();
    }

    /** The plan of the group changed. */
    void replan() {
        plans.replan();
    }

    /** A stream that carries state breaks. */
    boolean stateLost(NodeId peer, String why) {
        return boundary.lost(peer, why);
    }

    /** The group epoch changed. */
    void enter(String former) {
        boundary.enter();
        plans.enter();
        received.enter(former, fence());
    }

    void receive(GroupFrame frame) {
        if (received.receive(frame, fence(), setting.hooks.keeps(ShellRule.FENCE))) {
            pump();
        }
    }

    Optional<GroupFrame.Sum> result(long number) {
        return received.result(number);
    }

    void release(long number) {
        received.release(number);
    }

    /** Drops all results and error-feedback memory. */
    void releaseAll() {
        received.releaseAll();
        unsettledMemory.clear();
    }

    /** The members that reported that they hold the data of a number. */
    Set<NodeId> holders(long number) {
        return received.holders(number);
    }

    private void atBoundary(GroupFrame frame) {
        switch (frame) {
            case GroupFrame.Claimed claimed -> boundary.claimed(claimed);
            case GroupFrame.Planned planned -> boundary.planned(planned);
            case GroupFrame.Ask ask -> boundary.asked(ask);
            case GroupFrame.Chunk chunk -> boundary.came(chunk);
            case GroupFrame.Input _, GroupFrame.Carried _, GroupFrame.Held _ ->
                throw new AssertionError("no frame of a boundary");
        }
    }

    /** The error-feedback memory of a number is committed or rolled back. */
    void settleMemory(long number) {
        unsettledMemory.remove(number);
    }

    /** Begins the exchange of a number. */
    void run(long number, Script.Call call, Optional<CallRejection> why) {
        Optional<CallRejection> doomed = setting.hooks.doom(call.signature(), why);
        Violation.unless(
                unsettledMemory.add(number), "memory", "a number runs again and what it left behind is still there");
        received.open();
        received.takeBack(number);
        plans.plays(number);
        if (call.signature().kind() == Signature.Kind.BOUNDARY
                || call.signature().kind() == Signature.Kind.PLAN) {
            boundary.run(number, doomed);
            return;
        }
        process.surroundings().results().gave(process, fence(), number, call.signature(), call.value());
        List<NodeId> members = state().layout().members();
        for (int rank = 0; rank < members.size(); rank++) {
            NodeId to = members.get(rank);
            long value = Parts.sent(call.signature(), call.value(), process.id(), to, rank);
            var share = new GroupFrame.Share(value, call.model(), doomed);
            if (to.equals(process.id())) {
                received.input(number, to, share);
            } else {
                process.surroundings().stream(process, to, new GroupFrame.Input(fence(), number, process.id(), share));
            }
        }
    }

    /** Begins to forward a result if this member holds it. */
    void forward(Effect.Forward forward) {
        long number = forward.number();
        received.open();
        if (!state().layout().members().contains(forward.holder())) {
            trainer.step(new Event.StreamBroken(fence(), process.id(), "the holder is no member"));
        } else if (forward.holder().equals(process.id())) {
            GroupFrame.Sum sum = forward.bytes() == 0
                    ? received.result(number).orElse(GroupFrame.Sum.NOTHING)
                    : received.result(number)
                            .orElseThrow(() -> new Violation(
                                    "I6", "a member that is to pass number " + number + " on does not hold it"));
            received.carried(number, sum);
            toOthers(new GroupFrame.Carried(fence(), number, sum));
            hold(number);
        }
    }

    /** Reports to all that this member holds the data of a number. */
    void hold(long number) {
        process.surroundings().results().holds(process, fence(), number);
        received.held(number, process.id());
        toOthers(new GroupFrame.Held(fence(), number, process.id()));
    }

    void toOthers(GroupFrame frame) {
        for (NodeId member : state().layout().members()) {
            if (!member.equals(process.id())) {
                process.surroundings().stream(process, member, frame);
            }
        }
    }

    /** Ends every call whose data is complete. */
    void pump() {
        boolean again = true;
        while (again
                && !trainer.script().isOver()
                && process.isAlive()
                && state().frozen().isEmpty()
                && state().broken().isEmpty()) {
            again = state().forwards().isEmpty()
                    ? finishOne() || finishHeld() || spread() || beginStep() || agreeOnPlan()
                    : forwardOne();
        }
    }

    private boolean forwardOne() {
        Optional<Resolution.Forward> next = received.passedOn(state(), process.id());
        if (next.isEmpty()) {
            return false;
        }
        long number = next.get().number();
        GroupFrame.Sum sum = received.carried(number).orElseThrow();
        if (received.holders(number).contains(process.id())) {
            received.result(
                    number,
                    sum.equals(GroupFrame.Sum.NOTHING) ? received.inHand(number).orElse(sum) : sum);
            trainer.step(new Event.Forwarded(number, fence()));
            releaseBefore(number);
        } else {
            checkOwn(number, sum);
            hold(number);
        }
        return true;
    }

    private void checkOwn(long number, GroupFrame.Sum passedOn) {
        if (passedOn.equals(GroupFrame.Sum.NOTHING)) {
            Violation.unless(
                    received.inHand(number).isPresent() || state().kept().has(number),
                    "I6",
                    "a member lacks the result of number " + number + ", and nobody keeps it");
            return;
        }
        GroupFrame.Sum own = received.result(number).orElse(passedOn);
        Violation.unless(
                own.equals(passedOn),
                "I5",
                () -> "the result of number " + number + " that is passed on differs from the own one: " + passedOn
                        + " and " + own);
    }

    private boolean finishOne() {
        Optional<Map.Entry<Long, SortedMap<NodeId, GroupFrame.Share>>> complete = received.complete(state());
        if (complete.isEmpty()) {
            return false;
        }
        long number = complete.get().getKey();
        SortedMap<NodeId, GroupFrame.Share> got = complete.get().getValue();
        Optional<CallRejection> doom = doom(got);
        if (doom.isPresent()) {
            return reject(number, doom.get());
        }
        areOfOneModel(number, got);
        long value = got.values().stream().mapToLong(GroupFrame.Share::value).sum();
        return finish(number, sum(value, got.keySet()));
    }

    /** A sum in place, or a call that gives each member a part: no member returns before all reported that they hold theirs. */
    private boolean finishHeld() {
        Set<NodeId> members = new TreeSet<>(state().layout().members());
        ByNumber<GroupMachine.Open> open = state().open();
        for (int place = 0; place < open.size(); place++) {
            long number = open.number(place);
            GroupMachine.Open running = open.at(place);
            SortedMap<NodeId, GroupFrame.Share> got = received.inputs(number);
            Signature signature = running.signature();
            if (!(signature.inPlace() || Parts.areIn(signature)) || !running.running()) {
                continue;
            }
            Optional<CallRejection> doom = doom(got);
            if (doom.isPresent() && got.keySet().containsAll(members)) {
                return reject(number, doom.get());
            }
            if (doom.isPresent() || !Parts.areHere(signature, process.id(), got.keySet(), members)) {
                continue;
            }
            if (!received.holders(number).contains(process.id())) {
                areOfOneModel(number, got);
                long part = Parts.part(signature, process.id(), setting.hooks.layout(state()), got);
                received.inHand(number, sum(part, members));
                hold(number);
            }
            boolean isEager = signature.inPlace()
                    ? !setting.hooks.keeps(ShellRule.SUM_WAITS)
                    : !setting.hooks.partWaitsForHolders(signature, process.id());
            if (isEager || received.holders(number).containsAll(members)) {
                return finish(number, received.inHand(number).orElseThrow());
            }
        }
        return false;
    }

    /** The newest number that was called, if it is one of that kind and runs. */
    private Optional<Long> running(Signature.Kind kind) {
        if (state().open().isEmpty()) {
            return Optional.empty();
        }
        int newest = state().open().size() - 1;
        long number = state().open().number(newest);
        GroupMachine.Open open = state().open().at(newest);
        return open.signature().kind() == kind && open.running() ? Optional.of(number) : Optional.empty();
    }

    /** Broadcasts a root's value. No member returns before all reported that they hold it; no member holds a doomed one. */
    private boolean spread() {
        Optional<Long> running = running(Signature.Kind.BROADCAST);
        Script.Call call = running.flatMap(trainer.script()::call).orElse(null);
        if (running.isEmpty() || call == null) {
            return false;
        }
        long number = running.get();
        NodeId root = call.signature().root().orElseThrow();
        Set<NodeId> members = new TreeSet<>(state().layout().members());
        SortedMap<NodeId, GroupFrame.Share> got = received.inputs(number);
        Optional<CallRejection> doom = doom(got);
        if (doom.isPresent()) {
            return got.keySet().containsAll(members) && reject(number, doom.get());
        }
        GroupFrame.Share given = got.get(root);
        if (given == null || !got.containsKey(process.id())) {
            return false;
        }
        if (!received.holders(number).contains(process.id())) {
            received.inHand(number, sum(given.value(), members));
            hold(number);
        }
        boolean isEager = root.equals(process.id()) && !setting.hooks.keeps(ShellRule.ROOT_WAITS);
        if (!isEager && !received.holders(number).containsAll(members)) {
            return false;
        }
        areOfOneModel(number, got);
        return finish(number, sum(given.value(), members));
    }

    private boolean beginStep() {
        Optional<Long> running = running(Signature.Kind.BOUNDARY);
        if (running.isEmpty()) {
            return false;
        }
        long number = running.get();
        Optional<Boundary.End> end = boundary.advance(number);
        if (end.isEmpty() || trainer.script().isOver()) {
            return false;
        }
        if (end.get().refusal().isPresent()) {
            return reject(number, end.get().refusal().get());
        }
        return finish(
                number, sum(end.get().model(), new TreeSet<>(state().layout().members())), boundary.plan(number));
    }

    private boolean agreeOnPlan() {
        Optional<Long> running = running(Signature.Kind.PLAN);
        if (running.isEmpty() || !boundary.hasClaims(running.get())) {
            return false;
        }
        long number = running.get();
        Optional<CallRejection> doom = boundary.doom(number);
        if (doom.isPresent()) {
            return reject(number, doom.get());
        }
        return boundary.hasPlan(number)
                && finish(number, sum(0, new TreeSet<>(state().layout().members())), boundary.plan(number));
    }

    private boolean finish(long number, GroupFrame.Sum sum) {
        return finish(number, sum, Optional.empty());
    }

    private boolean finish(long number, GroupFrame.Sum sum, Optional<Plan> plan) {
        received.result(number, sum);
        trainer.step(new Event.Finished(number, fence(), 0, plan));
        releaseBefore(number);
        return true;
    }

    private boolean reject(long number, CallRejection why) {
        trainer.step(new Event.Rejected(number, fence(), why));
        releaseBefore(number);
        return true;
    }

    /** Where calls are made one at a time, a member that took part in this one had ended all before it. */
    private void releaseBefore(long number) {
        if (setting.depth == 1) {
            trainer.step(new Event.EndedByAll(number - 1));
        }
    }

    private GroupFrame.Sum sum(long value, Collection<NodeId> contributors) {
        String fence = fence();
        long groupEpoch = Long.parseLong(fence.substring(fence.lastIndexOf('/') + 1));
        return new GroupFrame.Sum(fence, groupEpoch, value, List.copyOf(contributors));
    }

    private static Optional<CallRejection> doom(SortedMap<NodeId, GroupFrame.Share> got) {
        return got.values().stream().flatMap(share -> share.doomed().stream()).findFirst();
    }

    private static void areOfOneModel(long number, SortedMap<NodeId, GroupFrame.Share> got) {
        for (GroupFrame.Share share : got.values()) {
            Violation.unless(
                    share.model() == got.firstEntry().getValue().model(),
                    "I8",
                    () -> "the inputs of number " + number + " come from different models");
        }
    }
}
