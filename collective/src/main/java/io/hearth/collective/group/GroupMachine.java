package io.hearth.collective.group;

import io.hearth.collective.LossPolicy;
import io.hearth.collective.RankBounds;
import io.hearth.collective.Signature;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what becomes of a group's numbered collectives when members are lost: which run, which run again, which are fetched
 * from a member that has the result, which are over. It moves no bytes.
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
 * <p>Rules, and what each is for:
 *
 * <ul>
 *   <li>A number is called only when the one W before it is done. So whoever finished j knows that all called j, hence all
 *       finished j - W, and it need keep no result older than that: no acknowledgement round.
 *   <li>A freeze is final for its epoch. Its report is what the view change decides on; nothing may end here until a
 *       successor is learned, or the decision would be about a past that changed.
 *   <li>An unchanged fence resumes in place. A changed one runs every open number again, from inputs that are still intact,
 *       except those that somebody finished: their members must all return the same bytes.
 *   <li>Forwards come before everything else in a new group epoch, in the same order on all members, because they use the
 *       same streams.
 *   <li>Whoever finished j knows that all called j. So a forward of a number that is neither open nor kept here, or of another
 *       size than was asked for, is a lie or a fault: no memory is taken for it, and the streams count as broken.
 * </ul>
 *
 * <p><b>Steps.</b> The beginning of a step is a number like any other, whose exchange all members wait in. Called only when all
 * before it are done here, it cannot end before they are done at all; so when it ends, all earlier results are final. It is also
 * where members enter: the group's lead holds it back, all wait, and a view change that finds every member waiting at the same
 * number lets joiners in, for whom it is the first. A joiner waits at the beginning of a step of its own, in the lineage that it
 * leaves; that call is renumbered.
 *
 * <p><b>Start.</b> The first number of a group that starts by itself is like the beginning of a step that nobody had before: all
 * wait in it, and while it has ended nowhere, anybody may enter. A member runs it only in a group epoch with as many members as it
 * asks for. Where a member of that epoch waits for a step instead, the number ends without a result on all of them: those begin the
 * step again, and the rest enters there. To end it, it needs bytes of every member of that epoch, and all of them ran it there: so the largest number that any
 * of them asks for counts, and it does not end with fewer for one of them and with more for another. The number after it needs as
 * many, too: it shows that all have come out of the start.
 *
 * <p><b>Bounds.</b> No step begins with fewer or more members than {@link RankBounds} say; in a script without steps, no number
 * runs with fewer. In the middle of a step nothing waits for members, because none can enter before its end.
 *
 * <p><b>Place.</b> A script deals out its data by (rank, world size) between two numbers, so all who go on from number j must
 * answer alike until j + 1 ends, while views come to them at different times. So a member's place is not that of its newest
 * view: it is the member list of the group epoch in which j ended, and changes only when a number ends. That list is the same
 * for all:
 *
 * <ul>
 *   <li>All that finish or refuse j in the exchanges of one group epoch name that epoch's list.
 *   <li>j has results of one group epoch only. Whoever finished j in epoch g is kept and reports it at the change after g, or
 *       is removed for good; in the first case j is forwarded and runs nowhere again, in the second no result of g is left.
 *   <li>A forwarded j ends with the list in which it last ran here. To finish j in g its holder needed bytes of every member,
 *       so this member ran j in g too; and it did not run j after g, by the previous point. Passed on from one holder to the
 *       next over several changes, j keeps that list on all of them.
 *   <li>A refused j may have ended elsewhere before it was even called here. Every kept member learns of it at the change after
 *       g, whose former list is that of g; who has not called j by then remembers the refusal with this list, as long as each
 *       further change decides the same.
 * </ul>
 *
 * <p>Rejected: a commit round for each collective (costs a round trip per call for a case that is rare), and acknowledgements
 * of results (the window gives the same bound for nothing).
 */
public final class GroupMachine implements Machine<GroupMachine.State, GroupMachine.Event, GroupMachine.Effect> {
    /** How many numbers a group may have open at once, at most; a constant of the protocol. */
    public static final int WINDOW = 4;

    private final int window;
    private final LossPolicy policy;
    private final RankBounds bounds;

    /** A group whose members may have {@code window} numbers open at once, the same on all; 1 to {@link Status#KEPT_MAX}. */
    public GroupMachine(int window, LossPolicy policy) {
        this(window, policy, RankBounds.ANY);
    }

    /** The same for a group that trains with this many members. */
    public GroupMachine(int window, LossPolicy policy, RankBounds bounds) {
        if (window < 1 || window > Status.KEPT_MAX) {
            throw new IllegalArgumentException("need a window of 1 to " + Status.KEPT_MAX + ", got " + window);
        }
        this.window = window;
        this.policy = policy;
        this.bounds = bounds;
    }

    /**
     * How far one epoch's freeze reaches.
     *
     * @param lineage in whatever text its owner uses
     * @param epoch of the view that may get a successor
     */
    public record Frozen(String lineage, long epoch) {}

    /**
     * An open number.
     *
     * @param running it was told to run in the present group epoch
     * @param doomed it will run only to tell all ranks this
     * @param ran members of the group epoch in which it was last told to run; empty while it never was
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
     * A number that others ended without a result, and that is still to end so here.
     *
     * @param members with which they did
     */
    public record Refused(CallRejection refusal, List<NodeId> members) {
        public Refused {
            members = List.copyOf(members);
        }
    }

    /**
     * Where this member stands from the end of one number to the end of the next.
     *
     * @param number the newest that ended here; 0 before the first
     * @param members by rank, with which that number ended; empty before the first
     */
    public record Place(long number, List<NodeId> members) {
        public Place {
            members = List.copyOf(members);
        }
    }

    /**
     * What else decides whether a number may run.
     *
     * @param least members that the group's start needs, and the first number after it; 1 later
     * @param bySteps the beginning of a step was called here
     * @param elsewhere others of the group are at work in another lineage
     * @param meetsStep another member of the view waits for the beginning of a step, so the group needs no start
     * @param spare the group is full without this member
     */
    public record Company(int least, boolean bySteps, boolean elsewhere, boolean meetsStep, boolean spare) {
        /** Before anything is known. */
        public static final Company ANY = new Company(1, false, false, false, false);

        Company needing(int members) {
            return members == least ? this : new Company(members, bySteps, elsewhere, meetsStep, spare);
        }

        public Company hearing(boolean atWork, boolean steps, boolean full) {
            return new Company(least, bySteps, atWork, steps, full);
        }
    }

    /** Why the streams of a fence are unusable. */
    public record Broken(NodeId peer, String why) {}

    /**
     * All that the machine knows.
     *
     * @param layout of the present group epoch
     * @param place of this member since its newest ended number
     * @param next number of the next call
     * @param doneUpTo all numbers up to this one ended here
     * @param open called and not ended
     * @param kept ended and still held
     * @param forwards to be carried out before anything runs, in this order
     * @param refused decided elsewhere, not yet ended here, because nothing ends while frozen or it was not called yet
     * @param frozen while a view change is on its way
     * @param broken why the streams of this fence are unusable
     * @param held a beginning of a step does not run meanwhile
     * @param returning this member was out: it begins no step before it is in a view with others again
     * @param company what else decides whether a number may run
     */
    public record State(
            GroupLayout layout,
            Place place,
            long next,
            long doneUpTo,
            ByNumber<Open> open,
            ByNumber<Status.Kept> kept,
            List<Resolution.Forward> forwards,
            ByNumber<Refused> refused,
            Optional<Frozen> frozen,
            Optional<Broken> broken,
            boolean held,
            boolean returning,
            Company company) {
        /** Before the first view. */
        public static final State START = new State(
                GroupLayout.NONE,
                new Place(0, List.of()),
                1,
                0,
                ByNumber.none(),
                ByNumber.none(),
                List.of(),
                ByNumber.none(),
                Optional.empty(),
                Optional.empty(),
                false,
                false,
                Company.ANY);

        public State {
            forwards = List.copyOf(forwards);
        }

        /** By rank: those with whom the newest number ended; before the first, those of the newest view. */
        public List<NodeId> ranks() {
            return place.number() == 0 ? layout.members() : place.members();
        }

        /**
         * What to report to the view change of a lineage: nothing, if what was done here was done in another one. Numbers mean
         * something else there, and passing a result on from one to the other would be passing on any bytes.
         */
        public Status status(String lineage) {
            boolean isOfAnother =
                    !layout.lineage().isEmpty() && !layout.lineage().equals(lineage);
            return isOfAnother ? new Status(0, 0, List.of(), Optional.empty()) : status();
        }

        /** What to report to the view change of this formation's lineage. */
        public Status status() {
            return new Status(
                    next - 1, doneUpTo, kept.values(), broken.map(Broken::why), isAtBoundary(), RoundTrips.NONE);
        }

        /** What to tell those who want to enter. */
        public GroupPhase phase() {
            boolean passesAlone =
                    layout.members().size() == 1 && open.values().stream().anyMatch(Open::running);
            boolean isFresh = next == 1 || isStarting();
            if (company.spare() && (isFresh || isAtBoundary())) {
                return GroupPhase.BUSY; // it joins nobody
            }
            if (isFresh) {
                return passesAlone ? GroupPhase.BUSY : GroupPhase.FRESH;
            }
            return isAtBoundary() && !passesAlone ? GroupPhase.BOUNDARY : GroupPhase.BUSY;
        }

        /** Whether all that was called ended, but for a number where members may enter. */
        public boolean isAtBoundary() {
            Open newest = open.get(next - 1);
            return newest != null && newest.signature().admits() && doneUpTo == next - 2;
        }

        /** Whether the group's start is all that was called, and has not ended. */
        public boolean isStarting() {
            Open newest = open.get(next - 1);
            return newest != null && newest.isStart();
        }

        /** Whether a start can be taken back: nobody can have heard of it in this group epoch, or is deciding about it. */
        public boolean mayWithdraw() {
            Open newest = open.get(next - 1);
            return newest != null
                    && newest.isStart()
                    && !newest.running()
                    && frozen.isEmpty()
                    && forwards.isEmpty()
                    && refused.isEmpty()
                    && layout.members().size() == 1;
        }

        /** How far this member is on its way into the group's work. */
        public GroupActivity activity() {
            if (next == 1) {
                return GroupActivity.IDLE;
            }
            if (isStarting()) {
                return GroupActivity.STARTING;
            }
            return company.bySteps() ? GroupActivity.STEPPING : GroupActivity.WORKING;
        }

        /** The same with another {@link #held()}. */
        public State held(boolean now) {
            return new State(
                    layout, place, next, doneUpTo, open, kept, forwards, refused, frozen, broken, now, returning,
                    company);
        }

        /** The same with another {@link #company()}. */
        public State in(Company now) {
            return new State(
                    layout, place, next, doneUpTo, open, kept, forwards, refused, frozen, broken, held, returning, now);
        }

        /** What is left of a member that was out of its group and begins anew; a view change may be on its way. */
        public State returned() {
            return new State(
                    GroupLayout.NONE,
                    new Place(0, List.of()),
                    1,
                    0,
                    ByNumber.none(),
                    ByNumber.none(),
                    List.of(),
                    ByNumber.none(),
                    frozen,
                    Optional.empty(),
                    held,
                    true,
                    company.needing(1));
        }

        /**
         * Whether the work of this member can go on in that lineage. What ended elsewhere has a number that means something else
         * there; what is only called runs there as well as anywhere, and a step may begin anywhere.
         */
        public boolean mayGoOnIn(String lineage) {
            return layout.lineage().equals(lineage) || (doneUpTo == 0 && kept.isEmpty()) || isAtBoundary();
        }

        boolean mayRun() {
            return !layout.fence().isEmpty() && frozen.isEmpty() && broken.isEmpty() && forwards.isEmpty();
        }

        /** Whether a step may begin, as far as this member has a say. */
        boolean mayBegin() {
            return !held && !(returning && layout.members().size() == 1);
        }
    }

    /** What may happen. */
    public sealed interface Event {
        /**
         * The application asks for its next collective; it becomes number {@code state.next()}.
         *
         * @param least members without which it does not run here
         */
        record Called(Signature signature, int least) implements Event {
            /** With any members. */
            public Called(Signature signature) {
                this(signature, 1);
            }
        }

        /** The application takes the start back that it asked for; only if {@link State#mayWithdraw}. */
        record Withdrawn() implements Event {}

        /** What is known of the group's other members, wherever they live; as in {@link Company}. */
        record Heard(boolean elsewhere, boolean meetsStep, boolean spare) implements Event {}

        /**
         * The exchange of a number is complete here.
         *
         * @param endedByAll all members are known to have ended every number up to this one; 0 for none
         */
        record Finished(long number, String fence, long endedByAll) implements Event {
            /** Of which no more is known. */
            public Finished(long number, String fence) {
                this(number, fence, 0);
            }
        }

        /** The exchange of a number ended with the same refusal on all ranks. */
        record Refused(long number, String fence, CallRejection refusal) implements Event {}

        /** A forwarded result is here and with all other members. */
        record Forwarded(long number, String fence) implements Event {}

        /** A stream of this fence broke, or a member stopped using it. */
        record StreamBroken(String fence, NodeId peer, String why) implements Event {}

        /** All members are known to have ended every number up to this one. */
        record EndedByAll(long upTo) implements Event {}

        /** Whether the next step has to wait for those who want to enter; what runs already is not stopped. */
        record Held(boolean held) implements Event {}

        /** A view change asks for the status; from here on nothing ends. */
        record Freeze(Frozen frozen) implements Event {}

        /**
         * A committed view.
         *
         * @param view its lineage and epoch
         * @param fence its lineage and this group's epoch
         * @param members of the group, by rank
         * @param inCompany the view has other members, of whatever role
         * @param resolution decided at the change that made this group epoch
         */
        record Installed(Frozen view, String fence, List<NodeId> members, boolean inCompany, Resolution resolution)
                implements Event {}
    }

    /** What the shell carries out. */
    public sealed interface Effect {
        /** Stop and forget every exchange of the former fence; its streams are of no more use. */
        record Abandon() implements Effect {}

        /** The open beginning of a step has this number in the new lineage. */
        record Renumber(long from, long to) implements Effect {}

        /** Take the error-feedback memory back to before this number. */
        record RollBack(long number) implements Effect {}

        /** Keep the error-feedback memory of this number. */
        record Commit(long number) implements Effect {}

        /** Run the exchange of a number in this fence, from its input; {@code doomed}: only to tell all ranks this. */
        record Run(long number, Optional<CallRejection> doomed) implements Effect {}

        /** Tell people why the oldest open number does not run; empty when it does. */
        record TellLack(Optional<Lack> lack) implements Effect {}

        /** Carry a result from its holder to all; the own copy is only compared where {@code held}. */
        record Forward(long number, NodeId holder, int contributors, long bytes, boolean held) implements Effect {}

        /** Tell the application. */
        record End(Status.Kept outcome) implements Effect {}

        /** Nobody can ask for this result any more. */
        record Release(long number) implements Effect {}

        /** Tell the view change that these streams must be set up anew. */
        record TellBroken(NodeId peer, String why) implements Effect {}

        /** Tell whoever watches. */
        record TellProgress(long doneUpTo, GroupPhase phase) implements Effect {}
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var draft = new GroupDraft(state, window, policy, bounds);
        switch (event) {
            case Event.Called(Signature signature, int least) -> draft.call(signature, least);
            case Event.Withdrawn() -> draft.withdraw();
            case Event.Heard(boolean elsewhere, boolean meetsStep, boolean spare) ->
                draft.hear(elsewhere, meetsStep, spare);
            case Event.Finished(long number, String fence, long endedByAll) -> {
                draft.finish(number, fence);
                draft.release(endedByAll);
            }
            case Event.Refused(long number, String fence, CallRejection refusal) ->
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

    /** Time changes nothing here: deadlines belong to calls, not to the group. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return Long.MAX_VALUE;
    }

    /** Why the oldest open number may not run with the present members; empty if it may, or runs. */
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
            return Optional.empty(); // it waits for a view; or only tells all ranks how it ended
        }
        if (admits && company.spare()) {
            return Optional.of(new Lack.Spare());
        }
        boolean comesLate = waiting.isBoundary() && there == 1 && state.place().number() == 0;
        if (company.elsewhere() && (waiting.isStart() || comesLate)) {
            return Optional.of(new Lack.AtWorkElsewhere());
        }
        int needed = Math.max(company.least(), admits || !company.bySteps() ? bounds.least() : 1);
        if (there < needed) {
            return Optional.of(new Lack.TooFew(there, needed));
        }
        return admits && there > bounds.most() ? Optional.of(new Lack.TooMany(there, bounds.most())) : Optional.empty();
    }

    static List<Resolution.Forward> without(List<Resolution.Forward> forwards, long number) {
        var rest = new ArrayList<>(forwards);
        rest.removeIf(forward -> forward.number() == number);
        return rest;
    }
}
