package io.hearth.election.vote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.Ballot;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Nodes;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Each decision of a voter, from one record on disk: the record that it writes and its answer. */
public final class VoterTest {
    private static final NodeId SELF = Nodes.agent(2);
    private static final NodeId OTHER = Nodes.agent(1);
    private static final PeerId MACHINE = SELF.peer();
    private static final Lineage LINEAGE = new Lineage(false, 500, OTHER, 1, 0);
    private static final long SEAT = 72;
    private static final View VIEW = view(5, SEAT);
    private static final LineageRecord FRESH = LineageRecord.fresh(LINEAGE, SEAT);
    private static final LineageRecord KNOWS = FRESH.learned(VIEW);
    private static final Ballot LOW = new Ballot(1, OTHER);
    private static final Ballot MIDDLE = new Ballot(1, SELF);
    private static final Ballot HIGH = new Ballot(2, OTHER);

    /** A view of two machines; {@code seat} is that of this one, 0 to leave it out. */
    private static View view(long epoch, long seat) {
        var other = new Member(OTHER, 1, 1, Role.AGENT, "", 71);
        var members = seat == 0 ? List.of(other) : List.of(other, new Member(SELF, 1, 2, Role.AGENT, "", seat));
        return new View(LINEAGE, epoch, members, List.of());
    }

    private static VoterTask promise(View view, Ballot ballot) {
        return new VoterTask.Promise(view, ballot);
    }

    private static VoterTask accept(View view, Ballot ballot) {
        return new VoterTask.Accept(view, ballot, view(view.epoch() + 1, SEAT));
    }

    private static Voter.Decision decide(Optional<LineageRecord> onDisk, VoterTask task) {
        return Voter.decide(MACHINE, onDisk, task);
    }

    private static void answers(LineageRecord onDisk, VoterTask task, VoterAnswer answer) {
        assertEquals(new Voter.Decision(Optional.empty(), answer), decide(Optional.of(onDisk), task));
    }

    private static LineageRecord writes(
            LineageRecord onDisk, VoterTask task, LineageRecord written, VoterAnswer answer) {
        assertEquals(new Voter.Decision(Optional.of(written), answer), decide(Optional.of(onDisk), task));
        return written;
    }

    private static VoterAnswer promised() {
        return new VoterAnswer.Promised(Optional.empty());
    }

    @Test
    void aFreshRecordVotesAboutAnyViewThatListsItsSeat() {
        writes(FRESH, promise(VIEW, LOW), KNOWS.promise(LOW), promised());
        var proposal = new Proposal(LOW, view(6, SEAT));
        writes(FRESH, accept(VIEW, LOW), KNOWS.accept(proposal), new VoterAnswer.Accepted());
    }

    @Test
    void theSameBallotGetsTheSameAnswerWithoutAWrite() {
        LineageRecord promised = KNOWS.promise(MIDDLE);
        answers(promised, promise(VIEW, MIDDLE), promised());
        LineageRecord accepted = writes(
                promised,
                accept(VIEW, MIDDLE),
                promised.accept(new Proposal(MIDDLE, view(6, SEAT))),
                new VoterAnswer.Accepted());
        answers(accepted, accept(VIEW, MIDDLE), new VoterAnswer.Accepted());
        answers(accepted, promise(VIEW, MIDDLE), new VoterAnswer.Promised(accepted.accepted()));
    }

    @Test
    void aLowerBallotIsRefusedWithoutAWriteByRoundAndThenByProposer() {
        LineageRecord promised = KNOWS.promise(MIDDLE);
        answers(promised, promise(VIEW, LOW), new VoterAnswer.Refused(MIDDLE));
        answers(promised, accept(VIEW, LOW), new VoterAnswer.Refused(MIDDLE));
        LineageRecord accepted = KNOWS.accept(new Proposal(MIDDLE, view(6, SEAT)));
        answers(accepted, promise(VIEW, LOW), new VoterAnswer.Refused(MIDDLE));
        answers(accepted, accept(VIEW, LOW), new VoterAnswer.Refused(MIDDLE));
        writes(promised, promise(VIEW, HIGH), KNOWS.promise(HIGH), promised());
    }

    @Test
    void aPromiseReportsTheAcceptedProposalAndKeepsIt() {
        LineageRecord accepted = KNOWS.accept(new Proposal(LOW, view(6, SEAT)));
        LineageRecord promised = writes(
                accepted,
                promise(VIEW, HIGH),
                accepted.promise(HIGH),
                new VoterAnswer.Promised(Optional.of(new Proposal(LOW, view(6, SEAT)))));
        assertEquals(accepted.accepted(), promised.accepted());
        assertEquals(Optional.of(HIGH), promised.promised());
    }

    @Test
    void anAcceptanceIsAPromiseAndNeedsNone() {
        LineageRecord accepted = writes(
                KNOWS,
                accept(VIEW, MIDDLE),
                KNOWS.accept(new Proposal(MIDDLE, view(6, SEAT))),
                new VoterAnswer.Accepted());
        assertEquals(Optional.of(MIDDLE), accepted.promised());
        LineageRecord later = writes(
                accepted,
                accept(VIEW, HIGH),
                accepted.accept(new Proposal(HIGH, view(6, SEAT))),
                new VoterAnswer.Accepted());
        assertEquals(HIGH, later.accepted().orElseThrow().ballot());
    }

    @Test
    void aBallotWithANewerViewReplacesTheRecordedViewAndItsPromises() {
        LineageRecord busy = KNOWS.accept(new Proposal(HIGH, view(6, SEAT)));
        View newer = view(9, SEAT);
        writes(busy, promise(newer, LOW), FRESH.learned(newer).promise(LOW), promised());
        writes(
                busy,
                accept(newer, LOW),
                FRESH.learned(newer).accept(new Proposal(LOW, view(10, SEAT))),
                new VoterAnswer.Accepted());
    }

    @Test
    void anOlderViewIsAnsweredWithTheNewestWhateverItsSeat() {
        for (View older : List.of(view(4, SEAT), view(4, 99), view(4, 0))) {
            answers(KNOWS, promise(older, HIGH), new VoterAnswer.Newer(VIEW));
            answers(KNOWS, accept(older, HIGH), new VoterAnswer.Newer(VIEW));
            answers(KNOWS, new VoterTask.Learn(older), new VoterAnswer.Newer(VIEW));
        }
    }

    @Test
    void twoViewsOfOneEpochAreAConflictAndNoVote() {
        var member = new Member(SELF, 1, 2, Role.AGENT, "", SEAT);
        View other = new View(LINEAGE, 5, List.of(member), List.of());
        answers(KNOWS, promise(other, HIGH), new VoterAnswer.Conflict());
        answers(KNOWS, accept(other, HIGH), new VoterAnswer.Conflict());
        answers(KNOWS, new VoterTask.Learn(other), new VoterAnswer.Conflict());
    }

    @Test
    void twoProposalsOfOneBallotAreAConflictAndNoVote() {
        LineageRecord accepted = KNOWS.accept(new Proposal(MIDDLE, view(6, SEAT)));
        answers(accepted, new VoterTask.Accept(VIEW, MIDDLE, view(6, 0)), new VoterAnswer.Conflict());
    }

    @Test
    void onlyTheSeatOfTheRecordVotes() {
        for (VoterTask task : List.of(promise(view(6, 99), HIGH), accept(view(6, 99), HIGH))) {
            answers(KNOWS, task, new VoterAnswer.NoSeat());
        }
        for (VoterTask task : List.of(promise(view(6, 0), HIGH), accept(view(6, 0), HIGH))) {
            answers(KNOWS, task, new VoterAnswer.NoSeat());
        }
        var missing = new Voter.Decision(Optional.empty(), new VoterAnswer.NoSeat());
        assertEquals(missing, decide(Optional.empty(), promise(VIEW, HIGH)));
        assertEquals(missing, decide(Optional.empty(), accept(VIEW, HIGH)));
        assertEquals(missing, decide(Optional.empty(), new VoterTask.Learn(VIEW)), "no ballot or view makes a record");
    }

    @Test
    void aCommittedViewIsRecordedWhateverWasPromisedAndWhetherOrNotItListsTheMachine() {
        LineageRecord busy = KNOWS.accept(new Proposal(HIGH, view(6, SEAT)));
        View without = view(8, 0);
        writes(busy, new VoterTask.Learn(without), FRESH.learned(without), new VoterAnswer.Written());
        answers(KNOWS, new VoterTask.Learn(VIEW), new VoterAnswer.Written());
        answers(busy, new VoterTask.Learn(VIEW), new VoterAnswer.Written());
        View other = view(8, 99);
        writes(busy, new VoterTask.Learn(other), FRESH.learned(other), new VoterAnswer.NoSeat());
        answers(FRESH.learned(other), new VoterTask.Learn(other), new VoterAnswer.NoSeat());
    }

    @Test
    void theFirstProcessOfAMachineThatAsksMakesTheRecordAndTheOthersGetItsSeat() {
        var task = new VoterTask.Enter(LINEAGE, 33);
        assertEquals(
                new Voter.Decision(
                        Optional.of(LineageRecord.fresh(LINEAGE, 33)), new VoterAnswer.Entered(33, Optional.empty())),
                decide(Optional.empty(), task));
        answers(FRESH, task, new VoterAnswer.Entered(SEAT, Optional.empty()));
        answers(KNOWS.promise(HIGH), task, new VoterAnswer.Entered(SEAT, Optional.of(VIEW)));
    }

    @Test
    void aFoundingIsWrittenOnce() {
        View first = new View(LINEAGE, 1, List.of(new Member(SELF, 1, 1, Role.AGENT, "", SEAT)), List.of());
        var task = new VoterTask.Found(first);
        LineageRecord founded = FRESH.learned(first);
        assertEquals(
                new Voter.Decision(Optional.of(founded), new VoterAnswer.Written()), decide(Optional.empty(), task));
        answers(founded, task, new VoterAnswer.Written());
        answers(founded.promise(HIGH), task, new VoterAnswer.Written());
        answers(FRESH.learned(VIEW), task, new VoterAnswer.Newer(VIEW));
    }

    @Test
    void theVoterDecidesNothingAboutFiles() {
        var retain = new VoterTask.Retain(new TreeSet<>(List.of(LINEAGE)));
        assertThrows(IllegalArgumentException.class, () -> decide(Optional.of(KNOWS), retain));
        assertEquals(Optional.empty(), Voter.lineage(retain));
    }

    /** A node can read every record that it may write, even with the largest numbers. */
    @Test
    void everyWrittenRecordCanBeReadAgain() throws DamagedRecordException {
        View last = view(ViewRules.NUMBER_MAX - 2, SEAT);
        var ballot = new Ballot(Ballot.ROUND_MAX, OTHER);
        LineageRecord record = LineageRecord.fresh(LINEAGE, SEAT);
        for (VoterTask task : List.of(
                promise(last, ballot), accept(last, ballot), new VoterTask.Learn(view(last.epoch() + 1, SEAT)))) {
            record = decide(Optional.of(record), task).write().orElseThrow();
            assertEquals(record, RecordEncoding.decode(RecordEncoding.encode(record)));
        }
        assertTrue(record.isListed(MACHINE));
    }
}
