package io.hearth.agent.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.votes.VoterDisk;
import io.hearth.agent.votes.VoterThread;
import io.hearth.collective.group.CollectiveResolver;
import io.hearth.core.Clock;
import io.hearth.election.Beat;
import io.hearth.election.ElectionConfig;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Presence;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reasons that a node reports for its wait and for its removal. */
final class MembershipTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final NodeId MASTER = NodeInboxTest.node(1);
    private static final NodeId SELF = NodeInboxTest.node(2);
    private static final Lineage LINEAGE = new Lineage(false, 500, MASTER, 1, 0);
    private static final long SEAT = 71;

    private final BlockingQueue<ViewEvent> answers = new LinkedBlockingQueue<>();
    private final List<Message> sent = new ArrayList<>();
    private final List<String> blamed = new ArrayList<>();
    private final AtomicLong slowest = new AtomicLong();
    private final HandClock clock = new HandClock();
    private final VoterThread voter = new VoterThread(
            "test", new SoundDisk(), (task, answer) -> answers.add(new ViewEvent.Voted(task, answer)), why -> {
                throw new AssertionError(why);
            });
    private final Membership membership = new Membership(
            new ViewMachine(ElectionConfig.DEFAULTS, new CollectiveResolver()),
            new ViewMachine.Start(1_000, List.of(), SELF, 1, Role.AGENT, "", 4),
            clock,
            voter,
            _ -> {},
            (_, message) -> sent.add(message),
            new Collectives.None(),
            () -> {},
            (who, why) -> blamed.add(who + " " + why));

    private static final class HandClock implements Clock {
        private long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long epochMillis() {
            return 1_000;
        }
    }

    /** A disk that writes nothing and reports success. */
    private final class SoundDisk implements VoterDisk {
        @Override
        public VoterAnswer carryOut(VoterTask task) {
            return switch (task) {
                case VoterTask.Enter _ -> new VoterAnswer.Entered(SEAT, Optional.empty());
                case VoterTask.Promise _ -> new VoterAnswer.Promised(Optional.empty());
                case VoterTask.Accept _ -> new VoterAnswer.Accepted();
                case VoterTask.Found _, VoterTask.Learn _, VoterTask.Retain _ -> new VoterAnswer.Written();
            };
        }

        @Override
        public long slowestNanos() {
            return slowest.get();
        }
    }

    @BeforeEach
    void start() throws Exception {
        voter.start();
        membership.start();
        diskDone();
    }

    @AfterEach
    void stop() {
        voter.close();
    }

    private void diskDone() throws InterruptedException {
        ViewEvent answer = answers.poll(10, TimeUnit.SECONDS);
        membership.driver().step(answer == null ? new ViewEvent.Tick() : answer);
    }

    private void received(Message message) {
        membership.driver().step(new ViewEvent.Received(MASTER, 1, message));
    }

    private void masterIsHeard(long epoch) {
        var presence = new Presence(LINEAGE, epoch, 2, false, "", GroupPhase.FRESH, -1, List.of());
        received(new Message.Heartbeat(presence, new Beat(1, 0, 0, 0)));
    }

    /** In a view of two, as its junior. */
    private void joinTheMaster() throws InterruptedException {
        membership.driver().step(new ViewEvent.Linked(MASTER, 1));
        masterIsHeard(3);
        diskDone();
        assertTrue(sent.getLast() instanceof Message.Join, sent::toString);
        received(new Message.Commit(view(3, member(MASTER, 1), member(SELF, 3))));
        diskDone();
        assertEquals(2, membership.view().members().size());
    }

    private static Member member(NodeId node, long entryEpoch) {
        return new Member(node, 1, entryEpoch, Role.AGENT, "", SEAT);
    }

    private static View view(long epoch, Member... members) {
        return new View(LINEAGE, epoch, List.of(members), List.of());
    }

    private void pass(long nanos) {
        for (long until = clock.nanos + nanos; clock.nanos < until; ) {
            clock.nanos += 50 * MILLI;
            membership.driver().step(new ViewEvent.Tick());
        }
    }

    @Test
    void aSlowDiskIsNamedWhileNothingElseIsWaitedFor() {
        slowest.set(100 * MILLI);
        assertEquals(Optional.empty(), membership.waiting());
        slowest.set(250 * MILLI);
        assertEquals(
                Optional.of("the disk of this node's home took 250 ms for one vote; put HEARTH_HOME on a faster one"),
                membership.waiting());
    }

    @Test
    void aStallIsToldWithWhatIsMissingNow() throws Exception {
        joinTheMaster();
        assertEquals(Optional.empty(), membership.waiting());
        membership.driver().step(new ViewEvent.Suspected(MASTER, 1));
        pass(9 * SECOND);
        String stalled =
                "no quorum of the machines has been heard for 9 s; waiting for " + MASTER.shortText() + " (not heard)";
        assertEquals(Optional.of(stalled), membership.waiting());
        slowest.set(250 * MILLI);
        assertEquals(
                Optional.of(stalled + "; the disk of this node's home took 250 ms for one vote; put HEARTH_HOME on a"
                        + " faster one"),
                membership.waiting());
        slowest.set(0);
        masterIsHeard(3);
        assertEquals(Optional.empty(), membership.waiting());
    }

    @Test
    void whoToldTheViewThatIsWithoutThisNodeIsNamedUntilItIsInAgain() throws Exception {
        joinTheMaster();
        received(new Message.Commit(view(4, member(MASTER, 1))));
        clock.nanos += 150 * MILLI;
        String why = membership.waiting().orElse("");
        assertTrue(
                why.startsWith("removed from the cluster 0 s ago: view 4 of lineage " + LINEAGE.shortText()
                        + ", told by " + MASTER.shortText() + ", has 1 member and not this node"),
                why);
        assertEquals(List.of(), blamed);
        received(new Message.Commit(view(4, member(MASTER, 1), member(SELF, 4))));
        assertTrue(blamed.getFirst().startsWith(MASTER.shortText() + " a view 4 of lineage"), blamed::toString);
        masterIsHeard(4);
        diskDone(); // the lost view
        diskDone(); // its own lineage
        diskDone(); // the record of its request
        received(new Message.Commit(view(5, member(MASTER, 1), member(SELF, 5))));
        assertEquals(2, membership.view().members().size(), sent::toString);
        assertEquals(Optional.empty(), membership.waiting());
    }
}
