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
    private ByNumber<Open> open;
    private ByNumber<Status.Kept> kept;
    private ByNumber<GroupMachine.Rejected> refused;
    private GroupLayout layout;
    private GroupMachine.Place place;
    private long next;
    private long doneUpTo;
    private List<Resolution.Forward> forwards;
    private Optional<Frozen> frozen;
    private Optional<GroupMachine.Broken> broken;
    private boolean held;
    private boolean returning;
    private GroupMachine.Company company;
    private boolean reportsProgress;
    private final GroupPhase phaseBefore;
    private final long doneBefore;
    private final Optional<Lack> lackBefore;

    GroupDraft(State state, int window, LossPolicy policy, RankBounds bounds) {
        this.window = window;
        this.policy = policy;
        this.bounds = bounds;
        this.open = state.open();
        this.kept = state.kept();
        this.refused = state.refused();
        this.layout = state.layout();
        this.place = state.place();
        this.next = state.next();
        this.doneUpTo = state.doneUpTo();
        this.forwards = state.forwards();
        this.frozen = state.frozen();
        this.broken = state.broken();
        this.held = state.held();
        this.returning = state.returning();
        this.company = state.company();
        this.lackBefore = lack(state);
        this.phaseBefore = state.phase();
        this.doneBefore = state.doneUpTo();
    }

    Step<State, Effect> step() {
        if (frozen.isEmpty()) {
            endRefused();
        }
        State state = state();
        if (state.mayRun() && !open.isEmpty()) {
            state = with(state, open.each(this::rejectedAtStep));
            State now = state;
            state = with(state, open.each((number, waiting) -> mayRun(now, waiting) ? run(number, waiting) : waiting));
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
        if (now.equals(open)) {
            return before;
        }
        open = now;
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
        for (long number : refused.isEmpty() ? List.<Long>of() : refused.numbers()) {
            if (open.has(number)) {
                GroupMachine.Rejected known = Objects.requireNonNull(refused.get(number));
                refused = refused.without(number);
                end(new Status.Kept(number, 0, 0, Optional.of(known.refusal())), known.members());
            }
        }
    }

    private State state() {
        return new State(
                layout, place, next, doneUpTo, open, kept, forwards, refused, frozen, broken, held, returning, company);
    }

    void call(Signature signature, int least) {
        if (next >= Status.NUMBER_MAX) {
            throw new IllegalStateException(
                    "the numbers of this group are used up after " + (next - 1) + "; close it and start again");
        }
        if (open.size() >= window) {
            throw new IllegalStateException(
                    "at most " + window + " collectives may be open, and " + open.size() + " are");
        }
        boolean isBoundary = signature.kind() == Signature.Kind.BOUNDARY;
        company = new GroupMachine.Company(
                Math.max(company.least(), least),
                company.bySteps() || isBoundary,
                company.elsewhere(),
                company.meetsStep(),
                company.spare());
        returning &= signature.kind() != Signature.Kind.START; // a start has its own number of required members
        boolean hasView = !layout.fence().isEmpty(); // otherwise the first view decides about the call
        Optional<CallRejection> doomed = hasView ? rejection(next, signature, List.of()) : Optional.empty();
        open = open.with(next, new Open(signature, false, doomed, List.of()));
        next++;
    }

    void withdraw() {
        if (!state().mayWithdraw()) {
            throw new IllegalStateException("a start that other members may know of cannot be withdrawn");
        }
        next--;
        open = open.without(next);
        company = company.needing(1);
    }

    void others(boolean elsewhere, boolean meetsStep, boolean spare) {
        company = company.withOthers(elsewhere, meetsStep, spare);
    }

    /** A start that meets a step gets a rejection: it runs only to distribute this to all. */
    private Open rejectedAtStep(long number, Open waiting) {
        boolean ends = company.meetsStep()
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

    void finish(long number, String inFence) {
        Open ended = open.get(number);
        if (ended != null && isCurrent(inFence)) {
            List<NodeId> members = layout.members();
            end(
                    new Status.Kept(
                            number, members.size(), ended.signature().keptBytes(members.size()), Optional.empty()),
                    members);
        }
    }

    void refuse(long number, String inFence, CallRejection refusal) {
        if (open.has(number) && isCurrent(inFence)) {
            end(new Status.Kept(number, 0, 0, Optional.of(refusal)), layout.members());
        }
    }

    void forwarded(long number, String inFence) {
        if (!isCurrent(inFence)) {
            return;
        }
        for (Resolution.Forward forward : forwards) {
            Open waiting = open.get(number);
            if (forward.number() == number && waiting != null) {
                end(new Status.Kept(number, forward.contributors(), forward.bytes(), Optional.empty()), waiting.ran());
            }
        }
        forwards = GroupMachine.without(forwards, number);
    }

    void streamBroken(String inFence, NodeId peer, String why) {
        if (inFence.equals(layout.fence()) && broken.isEmpty()) {
            broken = Optional.of(new GroupMachine.Broken(peer, why));
            emit(new Effect.ReportBroken(peer, why));
        }
    }

    void release(long upTo) {
        ByNumber<Status.Kept> left = kept.after(Math.min(upTo, doneUpTo));
        for (int released = 0; released < kept.size() - left.size(); released++) {
            emit(new Effect.Release(kept.number(released)));
        }
        kept = left;
    }

    void hold(boolean now) {
        held = now;
        reportsProgress = true;
    }

    void freeze(Frozen now) {
        frozen = Optional.of(now);
    }

    void install(Event.Installed view) {
        boolean succeeds = frozen.isEmpty()
                || !frozen.get().lineage().equals(view.view().lineage())
                || view.view().epoch() > frozen.get().epoch();
        if (succeeds) {
            frozen = Optional.empty();
        }
        returning &= !view.inCompany(); // not by its epoch: a node that is alone may change its view too
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
                RingPlan.ring(view.members(), view.resolution().order()));
        broken = Optional.empty();
        forwards = view.resolution().forwards();
        if (isNew) {
            reportsProgress = true;
            countFrom(view.resolution().first());
        }
        emit(new Effect.Abandon());
        takeOverRefused(view.resolution().refused(), before);
        open = open.each((number, waiting) -> reopened(number, waiting, lost));
        Optional<Resolution.Forward> unchecked =
                forwards.stream().filter(forward -> !isKnown(forward)).findFirst();
        if (unchecked.isPresent()) {
            forwards = List.of(); // no number runs either, until the next change decides again
            streamBroken(view.fence(), unchecked.get().holder(), fault(unchecked.get()));
        }
        for (Resolution.Forward forward : forwards) {
            emit(new Effect.Forward(
                    forward.number(),
                    forward.holder(),
                    forward.contributors(),
                    forward.bytes(),
                    kept.has(forward.number())));
        }
    }

    /**
     * Whether a forward fits a number that is open or kept here. A member that finished a number knows that all called it, so no other
     * forward is valid, and this member knows the size that the bytes must have.
     */
    private boolean isKnown(Resolution.Forward forward) {
        Status.Kept here = kept.get(forward.number());
        if (here != null) {
            return here.refusal().isEmpty()
                    && here.bytes() == forward.bytes()
                    && here.contributors() == forward.contributors();
        }
        Open asked = open.get(forward.number());
        return asked != null && asked.signature().keptBytes(forward.contributors()) == forward.bytes();
    }

    private String fault(Resolution.Forward forward) {
        Open asked = open.get(forward.number());
        return "number " + forward.number() + " is forwarded with " + forward.bytes() + " bytes of "
                + forward.contributors() + " members, "
                + (asked != null
                        ? "this member's call has " + asked.signature().keptBytes(forward.contributors()) + " bytes"
                        : kept.has(forward.number()) ? "it ended otherwise here" : "which is not open here");
    }

    /** A member that enters a working group continues with the group's numbers. */
    private void countFrom(long first) {
        if (next == 1) {
            next = first;
            doneUpTo = first - 1;
        } else if (state().isAtBoundary()) {
            long former = next - 1;
            Open begins = Objects.requireNonNull(open.get(former));
            kept.numbers().forEach(number -> emit(new Effect.Release(number)));
            kept = ByNumber.none();
            refused = ByNumber.none();
            open = open.without(former).with(first, new Open(begins.signature(), false, Optional.empty(), List.of()));
            place = new GroupMachine.Place(0, List.of());
            next = first + 1;
            doneUpTo = first - 1;
            emit(new Effect.Renumber(former, first));
        }
    }

    /** Takes over the rejections of a change; a rejection that was known before keeps the member list with which it ended. */
    private void takeOverRefused(List<Resolution.Rejected> decided, List<NodeId> before) {
        ByNumber<GroupMachine.Rejected> known = refused;
        refused = ByNumber.none();
        for (Resolution.Rejected entry : decided) {
            if (!kept.has(entry.number()) && entry.number() > doneUpTo) {
                GroupMachine.Rejected earlier = known.get(entry.number());
                refused = refused.with(
                        entry.number(), earlier != null ? earlier : new GroupMachine.Rejected(entry.refusal(), before));
            }
        }
    }

    private Open reopened(long number, Open waiting, List<NodeId> lost) {
        boolean isForwarded = forwards.stream().anyMatch(forward -> forward.number() == number);
        if (isForwarded || refused.has(number)) {
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
        if (number > place.number()) {
            place = new GroupMachine.Place(number, members);
        }
        returning = false;
        Open ended = open.get(number);
        open = open.without(number);
        if (ended != null && (!ended.isStart() || outcome.refusal().isPresent())) {
            company = company.needing(1);
        }
        kept = kept.with(number, outcome);
        emit(outcome.refusal().isEmpty() ? new Effect.Commit(number) : new Effect.RollBack(number));
        emit(new Effect.End(outcome));
        while (kept.has(doneUpTo + 1)) {
            doneUpTo++;
        }
        release(doneUpTo - window);
    }
}
