package io.hearth.collective.group;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.RankBounds;
import io.hearth.collective.Signature;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.Frozen;
import io.hearth.collective.group.GroupMachine.Open;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** One transition of {@link GroupMachine} under construction: the parts of the next state, and the effects so far. */
final class GroupDraft {
    private static final int EFFECTS_USUAL = 4;

    private final int window;
    private final LossPolicy policy;
    private final RankBounds bounds;
    private List<Effect> effects = List.of(); // mutable from the first effect on
    private GroupLayout layout;
    private GroupMachine.SettledRanks settled;
    private CallNumbers numbers;
    private GroupMachine.Decided decided;
    private GroupMachine.Entry entry;
    private Optional<Frozen> frozen;
    private Optional<GroupMachine.Broken> broken;
    private boolean reportsProgress;
    private final GroupPhase phaseBefore;
    private final long doneBefore;
    private final Optional<Lack> lackBefore;

    GroupDraft(State state, int window, LossPolicy policy, RankBounds bounds) {
        this.window = window;
        this.policy = policy;
        this.bounds = bounds;
        this.layout = state.layout();
        this.settled = state.settled();
        this.numbers = state.numbers();
        this.decided = state.decided();
        this.entry = state.entry();
        this.frozen = state.frozen();
        this.broken = state.broken();
        this.lackBefore = lack(state);
        this.phaseBefore = state.phase();
        this.doneBefore = state.doneUpTo();
    }

    Step<State, Effect> step() {
        if (frozen.isEmpty()) {
            endRefused();
        }
        State state = state();
        if (state.mayRun() && !state.open().isEmpty()) {
            state = with(state, state.open().each(this::rejectedAtStep));
            State now = state;
            state = with(
                    state, now.open().each((number, waiting) -> mayRun(now, waiting) ? run(number, waiting) : waiting));
        }
        Optional<Lack> lack = lack(state);
        if (!lack.equals(lackBefore)) {
            emit(new Effect.ReportLack(lack));
        }
        if (reportsProgress || state.phase() != phaseBefore || state.doneUpTo() != doneBefore) {
            emit(new Effect.ReportProgress(state.doneUpTo(), state.phase()));
        }
        return new Step<>(state, effects);
    }

    /** The state with these open numbers; the same object if nothing changed. */
    private State with(State before, ByNumber<Open> now) {
        if (now.equals(numbers.open())) {
            return before;
        }
        numbers = numbers.opening(now);
        return state();
    }

    private void emit(Effect effect) {
        if (effects.isEmpty()) {
            effects = new ArrayList<>(EFFECTS_USUAL);
        }
        effects.add(effect);
    }

    private boolean mayRun(State state, Open waiting) {
        return waiting.running()
                || ((!waiting.signature().admits() || state.mayBegin())
                        && GroupMachine.lack(state, waiting, bounds).isEmpty());
    }

    private Optional<Lack> lack(State state) {
        return GroupMachine.lack(state, bounds);
    }

    private Open run(long number, Open waiting) {
        if (waiting.running() && waiting.ran().equals(layout.members())) {
            return waiting;
        }
        if (!waiting.running()) {
            emit(new Effect.Run(number, waiting.doomed()));
        }
        return new Open(waiting.signature(), true, waiting.doomed(), layout.members());
    }

    private void endRefused() {
        ByNumber<GroupMachine.Rejected> refused = decided.refused();
        for (long number : refused.isEmpty() ? List.<Long>of() : refused.numbers()) {
            if (numbers.open().has(number)) {
                GroupMachine.Rejected known = Objects.requireNonNull(refused.get(number));
                decided = decided.refusing(decided.refused().without(number));
                end(new Status.Kept(number, 0, 0, Optional.of(known.refusal())), known.members());
            }
        }
    }

    private State state() {
        return new State(layout, settled, numbers, decided, entry, frozen, broken);
    }

    void call(Signature signature, int least) {
        long number = numbers.next();
        if (number >= Status.NUMBER_MAX) {
            throw new IllegalStateException(
                    "the numbers of this group are used up after " + (number - 1) + "; close it and start again");
        }
        int open = numbers.open().size();
        if (open >= window) {
            throw new IllegalStateException("at most " + window + " collectives may be open, and " + open + " are");
        }
        boolean isBoundary = signature.kind() == Signature.Kind.BOUNDARY;
        entry = entry.in(entry.company().calling(least, isBoundary));
        if (signature.kind() == Signature.Kind.START) {
            entry = entry.returning(false); // a start has its own number of required members
        }
        boolean hasView = !layout.fence().isEmpty(); // otherwise the first view decides about the call
        Optional<CallRejection> doomed = hasView ? rejection(number, signature, List.of()) : Optional.empty();
        numbers = numbers.called(new Open(signature, false, doomed, List.of()));
    }

    void withdraw() {
        if (!state().mayWithdraw()) {
            throw new IllegalStateException("a start that other members may know of cannot be withdrawn");
        }
        numbers = numbers.withdrawn();
        entry = entry.in(entry.company().needing(1));
    }

    void others(boolean elsewhere, boolean meetsStep, boolean spare) {
        entry = entry.in(entry.company().withOthers(elsewhere, meetsStep, spare));
    }

    /** A start that meets a step gets a rejection: it runs only to distribute this to all. */
    private Open rejectedAtStep(long number, Open waiting) {
        boolean ends = entry.company().meetsStep()
                && waiting.isStart()
                && !waiting.running()
                && waiting.doomed().isEmpty()
                && layout.members().size() > 1;
        return ends
                ? new Open(
                        waiting.signature(),
                        false,
                        Optional.of(new CallRejection(
                                CallRejection.Cause.START_MET_STEP,
                                "number " + number + ": a member of the group waits for the beginning of a step")),
                        waiting.ran())
                : waiting;
    }

    void finish(long number, String inFence, Optional<Plan> plan) {
        Open ended = numbers.open().get(number);
        if (ended != null && isCurrent(inFence)) {
            List<NodeId> members = layout.members();
            end(
                    new Status.Kept(
                            number, members.size(), ended.signature().keptBytes(members.size()), Optional.empty()),
                    members);
            plan.map(agreed -> GroupPlan.fitting(agreed, members.size())).ifPresent(this::replan);
        }
    }

    private void replan(Plan plan) {
        if (!plan.equals(layout.plan())) {
            layout = layout.planned(plan);
            emit(new Effect.Replan());
        }
    }

    void refuse(long number, String inFence, CallRejection refusal) {
        if (numbers.open().has(number) && isCurrent(inFence)) {
            end(new Status.Kept(number, 0, 0, Optional.of(refusal)), layout.members());
        }
    }

    void forwarded(long number, String inFence) {
        if (!isCurrent(inFence)) {
            return;
        }
        var rest = new ArrayList<Resolution.Forward>();
        for (Resolution.Forward forward : decided.forwards()) {
            Open waiting = numbers.open().get(number);
            if (forward.number() != number) {
                rest.add(forward);
            }
            if (forward.number() == number && waiting != null) {
                end(new Status.Kept(number, forward.contributors(), forward.bytes(), Optional.empty()), waiting.ran());
            }
        }
        decided = decided.forwarding(rest);
    }

    void streamBroken(String inFence, NodeId peer, String why) {
        if (inFence.equals(layout.fence()) && broken.isEmpty()) {
            broken = Optional.of(new GroupMachine.Broken(peer, why));
            emit(new Effect.ReportBroken(peer, why));
        }
    }

    void release(long upTo) {
        ByNumber<Status.Kept> kept = numbers.kept();
        ByNumber<Status.Kept> left = kept.after(Math.min(upTo, numbers.doneUpTo()));
        for (int released = 0; released < kept.size() - left.size(); released++) {
            emit(new Effect.Release(kept.number(released)));
        }
        if (left.size() < kept.size()) {
            numbers = numbers.keeping(left);
        }
    }

    void hold(boolean now) {
        entry = entry.holding(now);
        reportsProgress = true;
    }

    void freeze(Frozen now) {
        frozen = Optional.of(now);
    }

    void install(Event.Installed view) {
        frozen = frozen.filter(former -> !view.view().succeeds(former));
        entry = entry.returning(entry.returning()
                && !view.inCompany()); // not by its epoch: a node that is alone may change its view too
        if (!view.fence().equals(layout.fence())) {
            enter(view);
        } else {
            // A stream that broke after this member froze is in no report: request another change.
            broken.ifPresent(still -> emit(new Effect.ReportBroken(still.peer(), still.why())));
        }
    }

    private void enter(Event.Installed view) {
        List<NodeId> before = layout.members();
        boolean isNew = !view.view().lineage().equals(layout.lineage());
        List<NodeId> lost = new ArrayList<>(before);
        lost.removeAll(view.members());
        layout = new GroupLayout(
                view.view().lineage(),
                view.fence(),
                view.members(),
                GroupPlan.fitting(view.resolution().plan(), view.members().size()));
        broken = Optional.empty();
        decided = decided.forwarding(view.resolution().forwards());
        if (isNew) {
            reportsProgress = true;
            countFrom(view.resolution().first());
        }
        emit(new Effect.Abandon());
        takeOverRefused(view.resolution().refused(), before);
        numbers = numbers.opening(numbers.open().each((number, waiting) -> reopened(number, waiting, lost)));
        Optional<Resolution.Forward> unchecked =
                decided.forwards().stream().filter(forward -> !isKnown(forward)).findFirst();
        if (unchecked.isPresent()) {
            decided = decided.forwarding(List.of()); // no number runs either, until the next change decides again
            streamBroken(view.fence(), unchecked.get().holder(), fault(unchecked.get()));
        }
        for (Resolution.Forward forward : decided.forwards()) {
            emit(new Effect.Forward(
                    forward.number(),
                    forward.holder(),
                    forward.contributors(),
                    forward.bytes(),
                    numbers.kept().has(forward.number())));
        }
    }

    /**
     * Whether a forward fits a number that is open or kept here. A member that finished a number knows that all called it, so no other
     * forward is valid, and this member knows the size that the bytes must have.
     */
    private boolean isKnown(Resolution.Forward forward) {
        Status.Kept here = numbers.kept().get(forward.number());
        if (here != null) {
            return here.refusal().isEmpty()
                    && here.bytes() == forward.bytes()
                    && here.contributors() == forward.contributors();
        }
        Open asked = numbers.open().get(forward.number());
        return asked != null && asked.signature().keptBytes(forward.contributors()) == forward.bytes();
    }

    private String fault(Resolution.Forward forward) {
        Open asked = numbers.open().get(forward.number());
        return "number " + forward.number() + " is forwarded with " + forward.bytes() + " bytes of "
                + forward.contributors() + " members, "
                + (asked != null
                        ? "this member's call has " + asked.signature().keptBytes(forward.contributors()) + " bytes"
                        : numbers.kept().has(forward.number()) ? "it ended otherwise here" : "which is not open here");
    }

    /** A member that enters a working group continues with the group's numbers. */
    private void countFrom(long first) {
        long former = numbers.next() - 1;
        if (former == 0) {
            numbers = numbers.beginningAt(first);
        } else if (state().isAtBoundary()) {
            Open begins = Objects.requireNonNull(numbers.newest());
            numbers.kept().numbers().forEach(number -> emit(new Effect.Release(number)));
            numbers = numbers.movedTo(first, new Open(begins.signature(), false, Optional.empty(), List.of()));
            decided = decided.refusing(ByNumber.none());
            settled = GroupMachine.SettledRanks.NONE;
            emit(new Effect.Renumber(former, first));
        }
    }

    /** Takes over the rejections of a change; a rejection that was known before keeps the member list with which it ended. */
    private void takeOverRefused(List<Resolution.Rejected> rejections, List<NodeId> before) {
        ByNumber<GroupMachine.Rejected> refused = ByNumber.none();
        for (Resolution.Rejected rejection : rejections) {
            long number = rejection.number();
            if (!numbers.kept().has(number) && number > numbers.doneUpTo()) {
                GroupMachine.Rejected earlier = decided.refused().get(number);
                refused = refused.with(
                        number, earlier != null ? earlier : new GroupMachine.Rejected(rejection.refusal(), before));
            }
        }
        decided = decided.refusing(refused);
    }

    private Open reopened(long number, Open waiting, List<NodeId> lost) {
        boolean isForwarded = decided.forwards().stream().anyMatch(forward -> forward.number() == number);
        if (isForwarded || decided.refused().has(number)) {
            return waiting; // it ends without running again; commit or rollback follows then
        }
        if (waiting.running()) {
            emit(new Effect.RollBack(number));
        }
        return new Open(
                waiting.signature(),
                false,
                waiting.doomed().or(() -> rejection(number, waiting.signature(), lost)),
                waiting.ran());
    }

    private Optional<CallRejection> rejection(long number, Signature signature, List<NodeId> lost) {
        if (signature.kind() == Signature.Kind.START) {
            return Optional.empty(); // a start has no contribution that a loss could affect
        }
        Optional<NodeId> lostRoot =
                signature.root().filter(root -> !layout.members().contains(root));
        if (lostRoot.isPresent()) {
            return Optional.of(new CallRejection(
                    CallRejection.Cause.ROOT_LOST,
                    signature.text() + " (number " + number + "): the root was lost before all held its bytes"));
        }
        if (policy == LossPolicy.FAIL_FAST && !lost.isEmpty()) {
            String names =
                    String.join(", ", lost.stream().map(NodeId::shortText).toList());
            return Optional.of(new CallRejection(
                    CallRejection.Cause.PEER_LOST, signature.text() + " (number " + number + "): lost " + names));
        }
        return Optional.empty();
    }

    private boolean isCurrent(String inFence) {
        if (frozen.isPresent()) {
            throw new IllegalStateException("no number may end while frozen for a successor of epoch "
                    + frozen.get().epoch());
        }
        return inFence.equals(layout.fence());
    }

    private void end(Status.Kept outcome, List<NodeId> members) {
        long number = outcome.number();
        if (number > settled.number()) {
            settled = new GroupMachine.SettledRanks(number, members);
        }
        Open ended = numbers.open().get(number);
        entry = entry.returning(false);
        if (ended != null && (!ended.isStart() || outcome.refusal().isPresent())) {
            entry = entry.in(entry.company().needing(1));
        }
        numbers = numbers.ended(outcome);
        emit(outcome.refusal().isEmpty() ? new Effect.Commit(number) : new Effect.RollBack(number));
        emit(new Effect.End(outcome));
        release(numbers.doneUpTo() - window);
    }
}
