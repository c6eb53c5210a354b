package io.hearth.collective.group;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.RankBounds;
import io.hearth.collective.Signature;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides what happens to a group's numbered collectives when members are lost: which run, which run again, which get their result from a
 * member that has it, and which have ended. It moves no bytes.
 *
 * <pre>
 *                 Called                 Finished, Refused
 *   (no number) ---------&gt; open --run--&gt; running ---------&gt; ended, kept for W numbers
 *                            ^              |
 *                            |   Installed (new fence): roll back, run again
 *                            +--------------+---- forwarded: ends with its holder's result, contributors as they were
 *                                           +---- refused there: ends so here
 * </pre>
 *
 * <p>Rules, and their reasons:
 *
 * <ul>
 *   <li>A member calls a number only when the number W before it is done. So a member that finished j knows that all called j, and hence
 *       that all finished j - W. It keeps no result up to that number, and there is no acknowledgement round.
 *   <li>A freeze is final for its epoch. The view change decides on the report of the frozen member. So no number may end here until the
 *       successor view is known; otherwise the decision would rest on an outdated report.
 *   <li>If the fence is unchanged, numbers continue where they were. If it changed, every open number runs again from its intact input,
 *       except the numbers that a member finished: all members must return the same bytes for those.
 *   <li>Forwards run before everything else in a new group epoch, in the same order on all members, because they use the same streams.
 *   <li>A member that finished j knows that all called j. So a forward of a number that is neither open nor kept here, or of another size
 *       than the call's, is a lie or a fault: it gets no memory, and the streams count as broken.
 * </ul>
 *
 * <p><b>Steps.</b> The beginning of a step is a number like any other; all members wait in its exchange. Each member calls it only when all
 * numbers before it are done there. So when it ends, all earlier results are final on all members. Members also enter there: the group's
 * lead holds the number back, and all wait. A view change that finds every member waiting at the same number admits the joining nodes, for
 * which it is the first number. A joining node waits at the beginning of a step of its own, in the lineage that it leaves; that call gets
 * the new number.
 *
 * <p><b>Start.</b> The first number of a group that starts by itself is like the beginning of a step before the first one: all members wait
 * in it, and any trainer may enter until it has ended on a member. A member runs it only in a group epoch with at least the number of
 * members that it requires. If a member of that epoch waits for a step instead, the number ends without a result on all of them: the
 * members at the step begin it again, and the others enter there. The start ends only with bytes of every member of that epoch, so all of
 * them ran it there. Therefore the largest requirement of any member counts, and the start cannot end with fewer members for one of them
 * and with more for another. The number after it has the same requirement: it shows that all members have completed the start,
 * as the end of a call of a subgroup does.
 *
 * <p><b>Bounds.</b> No step begins with fewer or more members than {@link RankBounds} allow; in a script without steps, no number runs with
 * fewer. In the middle of a step no number waits for members, because none can enter before the step ends.
 *
 * <p><b>Plans.</b> A group epoch begins with the plan of its resolution. The members may agree on another one in the beginning of a step,
 * or, in a script without steps, in a number of its own; it holds from the next number on. No member calls that number before this one has
 * ended there, so all members use one plan for each number. A member that gets the end forwarded is in a new group epoch, with a new plan.
 *
 * <p><b>Settled ranks.</b> A script divides its data by (rank, world size) between two numbers. So all members that continue after number j must
 * return the same values until j + 1 ends, although views reach them at different times. A member's rank is therefore not that of its
 * newest view. It comes from the member list of the group epoch in which j ended, and changes only when a number ends. That list is the
 * same for all members:
 *
 * <ul>
 *   <li>All members that finish or reject j in the exchanges of one group epoch use that epoch's list.
 *   <li>j has results of one group epoch only. A member that finished j in epoch g either stays and reports it at the change after g, or is
 *       removed for good. In the first case j is forwarded and never runs again; in the second, no result of g is left.
 *   <li>A forwarded j ends with the list in which it last ran here. To finish j in g its holder needed bytes of every member, so this
 *       member ran j in g too. By the previous point, it did not run j after g. If j passes from one holder to the next over several
 *       changes, it keeps that list on all members.
 *   <li>A rejected j may have ended elsewhere before this member called it. Every remaining member learns of it at the change after g, when
 *       the former list is that of g. A member that has not called j by then stores the rejection with this list, as long as each further
 *       change decides the same.
 * </ul>
 *
 * <p>Alternatives rejected: a commit round for each collective, which costs a round trip per call for a rare case; and acknowledgements of
 * results, because the window gives the same bound at no cost.
 */
public final class GroupMachine implements Machine<GroupMachine.State, GroupMachine.Event, GroupMachine.Effect> {
    /** Most numbers that a group may have open at once; a constant of the protocol. */
    public static final int WINDOW = 4;

    private final int window;
    private final LossPolicy policy;
    private final RankBounds bounds;

    /** A group whose members may have {@code window} numbers open at once, the same on all; 1 to {@link Status#KEPT_MAX}. */
    public GroupMachine(int window, LossPolicy policy) {
        this(window, policy, RankBounds.ANY);
    }

    /** The same for a group with limits on its number of members. */
    public GroupMachine(int window, LossPolicy policy, RankBounds bounds) {
        if (window < 1 || window > Status.KEPT_MAX) {
            throw new IllegalArgumentException("need a window of 1 to " + Status.KEPT_MAX + ", got " + window);
        }
        this.window = window;
        this.policy = policy;
        this.bounds = bounds;
    }

    /**
     * The view for whose successor this member is frozen.
     *
     * @param lineage in the text form of its owner
     * @param epoch of the view that may get a successor
     */
    public record Frozen(String lineage, long epoch) {
        /** Whether this view ends a freeze for the successor of another one. */
        public boolean succeeds(Frozen former) {
            return !former.lineage.equals(lineage) || epoch > former.epoch;
        }
    }

    /**
     * An open number.
     *
     * @param running whether a {@link Effect.Run} started it in the present group epoch
     * @param doomed if present, it runs only to distribute this rejection to all ranks
     * @param ran members of the group epoch in which it was last started; empty before that
     */
    public record Open(Signature signature, boolean running, Optional<CallRejection> doomed, List<NodeId> ran) {
        public Open {
            ran = List.copyOf(ran);
        }

        boolean isBoundary() {
            return signature.kind() == Signature.Kind.BOUNDARY;
        }

        boolean isStart() {
            return signature.kind() == Signature.Kind.START;
        }
    }

    /**
     * A number that other members ended without a result, and that has yet to end in the same way here.
     *
     * @param members with which it ended there
     */
    public record Rejected(CallRejection refusal, List<NodeId> members) {
        public Rejected {
            members = List.copyOf(members);
        }
    }

    /**
     * The ranks that this member's application sees from the end of one number to the end of the next.
     *
     * @param number the newest number that ended here; 0 before the first
     * @param members by rank, with which that number ended; empty before the first
     */
    public record SettledRanks(long number, List<NodeId> members) {
        /** Before the first number. */
        public static final SettledRanks NONE = new SettledRanks(0, List.of());

        public SettledRanks {
            members = List.copyOf(members);
        }
    }

    /**
     * Decisions of the last view change that this member has yet to carry out.
     *
     * @param forwards to carry out before any number runs, in this order
     * @param refused numbers rejected elsewhere that have not ended here yet, because this member is frozen or has not called them
     */
    public record Decided(List<Resolution.Forward> forwards, ByNumber<Rejected> refused) {
        /** Nothing to carry out. */
        public static final Decided NONE = new Decided(List.of(), ByNumber.none());

        public Decided {
            forwards = List.copyOf(forwards);
        }

        Decided forwarding(List<Resolution.Forward> results) {
            return new Decided(results, refused);
        }

        Decided refusing(ByNumber<Rejected> numbers) {
            return new Decided(forwards, numbers);
        }
    }

    /**
     * Further conditions on whether a number may run.
     *
     * @param least number of members that the group's start requires, and the first number after it; 1 later
     * @param bySteps whether this member has called the beginning of a step
     * @param elsewhere whether other members of the group are working in another lineage
     * @param meetsStep whether another member of the view waits for the beginning of a step, so the group needs no start
     * @param spare whether the group is full without this member
     */
    public record Company(int least, boolean bySteps, boolean elsewhere, boolean meetsStep, boolean spare) {
        /** The conditions before any information arrives. */
        public static final Company ANY = new Company(1, false, false, false, false);

        /** The conditions after a call that requires {@code members} or more. */
        Company calling(int members, boolean beginsStep) {
            return members <= least && (bySteps || !beginsStep)
                    ? this
                    : new Company(Math.max(least, members), bySteps || beginsStep, elsewhere, meetsStep, spare);
        }

        Company needing(int members) {
            return members == least ? this : new Company(members, bySteps, elsewhere, meetsStep, spare);
        }

        public Company withOthers(boolean atWork, boolean steps, boolean full) {
            return new Company(least, bySteps, atWork, steps, full);
        }
    }

    /**
     * Conditions on whether a step may begin and a number may run.
     *
     * @param held whether the beginning of a step must wait
     * @param returning whether this member was removed and has not rejoined: it begins no step before it is in a view with others again
     * @param company further conditions
     */
    public record Entry(boolean held, boolean returning, Company company) {
        /** The conditions before the first view. */
        public static final Entry START = new Entry(false, false, Company.ANY);

        Entry holding(boolean now) {
            return new Entry(now, returning, company);
        }

        Entry returning(boolean now) {
            return now == returning ? this : new Entry(held, now, company);
        }

        Entry in(Company now) {
            return now.equals(company) ? this : new Entry(held, returning, now);
        }
    }

    /** The peer and the reason that make the streams of a fence unusable. */
    public record Broken(NodeId peer, String why) {}

    /**
     * The complete state of the machine.
     *
     * @param layout of the present group epoch
     * @param settled the ranks since this member's newest ended number
     * @param numbers of its calls
     * @param decided at the last view change, and not carried out yet
     * @param entry conditions on whether a step may begin and a number may run
     * @param frozen present while a view change is in progress
     * @param broken why the streams of this fence are unusable
     */
    public record State(
            GroupLayout layout,
            SettledRanks settled,
            CallNumbers numbers,
            Decided decided,
            Entry entry,
            Optional<Frozen> frozen,
            Optional<Broken> broken) {
        /** Before the first view. */
        public static final State START = new State(
                GroupLayout.NONE,
                SettledRanks.NONE,
                CallNumbers.NONE,
                Decided.NONE,
                Entry.START,
                Optional.empty(),
                Optional.empty());

        /** Number of the next call. */
        public long next() {
            return numbers.next();
        }

        /** All numbers up to this one ended here. */
        public long doneUpTo() {
            return numbers.doneUpTo();
        }

        /** Whether a number runs, so that data may travel at any moment. */
        public boolean isMoving() {
            return numbers.open().numbers().stream()
                    .anyMatch(number ->
                            Objects.requireNonNull(numbers.open().get(number)).running());
        }

        /** Numbers that were called and have not ended. */
        public ByNumber<Open> open() {
            return numbers.open();
        }

        /** Numbers that ended and whose outcome is still held. */
        public ByNumber<Status.Kept> kept() {
            return numbers.kept();
        }

        /** Results to forward before any number runs, in this order. */
        public List<Resolution.Forward> forwards() {
            return decided.forwards();
        }

        /** Further conditions on whether a number may run. */
        public Company company() {
            return entry.company();
        }

        /** By rank: the members with which the newest number ended; before the first number, those of the newest view. */
        public List<NodeId> ranks() {
            return settled.number() == 0 ? layout.members() : settled.members();
        }

        /**
         * The report to the view change of a lineage: empty if this member worked in another one. Numbers have another meaning there, so a
         * result forwarded from one lineage to the other could be any bytes.
         */
        public Status status(String lineage) {
            boolean isOfAnother =
                    !layout.lineage().isEmpty() && !layout.lineage().equals(lineage);
            return isOfAnother ? new Status(0, 0, List.of(), Optional.empty()) : status();
        }

        /** The report to the view change of the present lineage. */
        public Status status() {
            return new Status(
                    next() - 1,
                    doneUpTo(),
                    kept().values(),
                    broken.map(Broken::why),
                    isAtBoundary(),
                    MeasuredLinks.NONE);
        }

        /** The phase that joining nodes see. */
        public GroupPhase phase() {
            boolean passesAlone =
                    layout.members().size() == 1 && open().values().stream().anyMatch(Open::running);
            boolean isFresh = next() == 1 || isStarting();
            if (company().spare() && (isFresh || isAtBoundary())) {
                return GroupPhase.BUSY; // it joins no other group
            }
            if (isFresh) {
                return passesAlone ? GroupPhase.BUSY : GroupPhase.FRESH;
            }
            return isAtBoundary() && !passesAlone ? GroupPhase.BOUNDARY : GroupPhase.BUSY;
        }

        /** Whether all called numbers have ended, except one at which members may enter. */
        public boolean isAtBoundary() {
            Open newest = numbers.newest();
            return newest != null && newest.signature().admits() && doneUpTo() == next() - 2;
        }

        /** Whether the newest called number is the group's start, and it has not ended. */
        public boolean isStarting() {
            Open newest = numbers.newest();
            return newest != null && newest.isStart();
        }

        /** Whether a start can be withdrawn: no other member can know of it in this group epoch or is deciding about it. */
        public boolean mayWithdraw() {
            Open newest = numbers.newest();
            return newest != null
                    && newest.isStart()
                    && !newest.running()
                    && frozen.isEmpty()
                    && decided.forwards().isEmpty()
                    && decided.refused().isEmpty()
                    && layout.members().size() == 1;
        }

        /** This member's progress into the group's work. */
        public GroupActivity activity() {
            if (next() == 1) {
                return GroupActivity.IDLE;
            }
            if (isStarting()) {
                return GroupActivity.STARTING;
            }
            return company().bySteps() ? GroupActivity.STEPPING : GroupActivity.WORKING;
        }

        /** The same while the next step must wait, or need not wait any more. */
        public State held(boolean now) {
            return new State(layout, settled, numbers, decided, entry.holding(now), frozen, broken);
        }

        /** The same with another {@link #company()}. */
        public State in(Company now) {
            return new State(layout, settled, numbers, decided, entry.in(now), frozen, broken);
        }

        /** The same after a call of a subgroup has ended: the group's first number has no requirement of its own any more. */
        public State begun() {
            return in(company().needing(1));
        }

        /** The state of a member that was removed from its group and begins again; a view change may be in progress. */
        public State returned() {
            var again = new Entry(entry.held(), true, company().needing(1));
            return new State(
                    GroupLayout.NONE,
                    SettledRanks.NONE,
                    CallNumbers.NONE,
                    Decided.NONE,
                    again,
                    frozen,
                    Optional.empty());
        }

        /**
         * Whether the work of this member can go on in that lineage. A number that ended in another lineage has another meaning there. A
         * number that was only called can run in any lineage, and a step may begin in any.
         */
        public boolean mayGoOnIn(String lineage) {
            return layout.lineage().equals(lineage) || (doneUpTo() == 0 && kept().isEmpty()) || isAtBoundary();
        }

        boolean mayRun() {
            return !layout.fence().isEmpty()
                    && frozen.isEmpty()
                    && broken.isEmpty()
                    && forwards().isEmpty();
        }

        /** Whether this member allows a step to begin. */
        boolean mayBegin() {
            return !entry.held() && !(entry.returning() && layout.members().size() == 1);
        }
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /**
         * The application calls its next collective; it becomes number {@code state.next()}.
         *
         * @param least number of members that it requires to run here
         */
        record Called(Signature signature, int least) implements Event {
            /** A call that runs with any number of members. */
            public Called(Signature signature) {
                this(signature, 1);
            }
        }

        /** The application withdraws its start; only if {@link State#mayWithdraw}. */
        record Withdrawn() implements Event {}

        /** News of the group's other members, in any lineage; fields as in {@link Company}. */
        record Heard(boolean elsewhere, boolean meetsStep, boolean spare) implements Event {}

        /**
         * The exchange of a number is complete here.
         *
         * @param endedByAll all members have certainly ended every number up to this one; 0 for none
         * @param plan on which the members agreed in it, for the numbers after it; empty if they keep the present one
         */
        record Finished(long number, String fence, long endedByAll, Optional<Plan> plan) implements Event {
            /** A number without such knowledge, and without a plan. */
            public Finished(long number, String fence) {
                this(number, fence, 0, Optional.empty());
            }
        }

        /** The exchange of a number ended with the same rejection on all ranks. */
        record Rejected(long number, String fence, CallRejection refusal) implements Event {}

        /** A forwarded result has arrived here and at all other members. */
        record Forwarded(long number, String fence) implements Event {}

        /** A stream of this fence broke, or a member stopped using it. */
        record StreamBroken(String fence, NodeId peer, String why) implements Event {}

        /** All members have certainly ended every number up to this one. */
        record EndedByAll(long upTo) implements Event {}

        /** Whether the next step must wait for joining nodes; a number that runs already is not stopped. */
        record Held(boolean held) implements Event {}

        /** A view change requests the status; from here on no number ends. */
        record Freeze(Frozen frozen) implements Event {}

        /**
         * A committed view.
         *
         * @param view its lineage and epoch
         * @param fence its lineage and this group's epoch
         * @param members of the group, by rank
         * @param inCompany whether the view has other members, of any role
         * @param resolution decided at the view change that created this group epoch
         */
        record Installed(Frozen view, String fence, List<NodeId> members, boolean inCompany, Resolution resolution)
                implements Event {}
    }

    /** Outputs that the shell carries out. */
    public sealed interface Effect {
        /** Stop and drop every exchange of the former fence; its streams are not used again. */
        record Abandon() implements Effect {}

        /** The numbers from now on follow the plan of the layout. */
        record Replan() implements Effect {}

        /** The open beginning of a step has this number in the new lineage. */
        record Renumber(long from, long to) implements Effect {}

        /** Reset the error-feedback memory to its state before this number. */
        record RollBack(long number) implements Effect {}

        /** Keep the changes of this number in the error-feedback memory. */
        record Commit(long number) implements Effect {}

        /**
         * Run the exchange of a number in this fence, from its input; {@code doomed}: if present, only to distribute this rejection to all
         * ranks.
         */
        record Run(long number, Optional<CallRejection> doomed) implements Effect {}

        /** Report why the oldest open number does not run; empty when it does. */
        record ReportLack(Optional<Lack> lack) implements Effect {}

        /** Send a result from its holder to all members; a member that has it already ({@code held}) only compares its copy. */
        record Forward(long number, NodeId holder, int contributors, long bytes, boolean held) implements Effect {}

        /** Return the outcome of a number to the application. */
        record End(Status.Kept outcome) implements Effect {}

        /** No member can request this result any more. */
        record Release(long number) implements Effect {}

        /** Report to the view change that the streams must be opened again. */
        record ReportBroken(NodeId peer, String why) implements Effect {}

        /** Report the progress to listeners. */
        record ReportProgress(long doneUpTo, GroupPhase phase) implements Effect {}
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var draft = new GroupDraft(state, window, policy, bounds);
        switch (event) {
            case Event.Called(Signature signature, int least) -> draft.call(signature, least);
            case Event.Withdrawn() -> draft.withdraw();
            case Event.Heard(boolean elsewhere, boolean meetsStep, boolean spare) ->
                draft.others(elsewhere, meetsStep, spare);
            case Event.Finished(long number, String fence, long endedByAll, Optional<Plan> plan) -> {
                draft.finish(number, fence, plan);
                draft.release(endedByAll);
            }
            case Event.Rejected(long number, String fence, CallRejection refusal) ->
                draft.refuse(number, fence, refusal);
            case Event.Forwarded(long number, String fence) -> draft.forwarded(number, fence);
            case Event.StreamBroken(String fence, NodeId peer, String why) -> draft.streamBroken(fence, peer, why);
            case Event.EndedByAll(long upTo) -> draft.release(upTo);
            case Event.Held(boolean held) -> draft.hold(held);
            case Event.Freeze(Frozen frozen) -> draft.freeze(frozen);
            case Event.Installed installed -> draft.install(installed);
        }
        return draft.step();
    }

    /** The machine has no timers: deadlines belong to calls, not to the group. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return Long.MAX_VALUE;
    }

    /** Reason why the oldest open number may not run with the present members; empty if it may run or runs. */
    public Optional<Lack> lack(State state) {
        return lack(state, bounds);
    }

    public static Optional<Lack> lack(State state, RankBounds bounds) {
        Open oldest = state.open().first();
        return oldest == null || oldest.running() ? Optional.empty() : lack(state, oldest, bounds);
    }

    public static Optional<Lack> lack(State state, Open waiting, RankBounds bounds) {
        Company company = state.company();
        int there = state.layout().members().size();
        boolean admits = waiting.signature().admits();
        if (there == 0 || waiting.doomed().isPresent()) {
            return Optional.empty(); // it waits for a view, or runs only to distribute a rejection
        }
        if (admits && company.spare()) {
            return Optional.of(new Lack.Spare());
        }
        boolean comesLate =
                waiting.isBoundary() && there == 1 && state.settled().number() == 0;
        if (company.elsewhere() && (waiting.isStart() || comesLate)) {
            return Optional.of(new Lack.AtWorkElsewhere());
        }
        int needed = Math.max(company.least(), admits || !company.bySteps() ? bounds.least() : 1);
        if (there < needed) {
            return Optional.of(new Lack.TooFew(there, needed));
        }
        return admits && there > bounds.most() ? Optional.of(new Lack.TooMany(there, bounds.most())) : Optional.empty();
    }
}
