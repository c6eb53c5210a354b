package io.hearth.agent.group;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.Resolution;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Well-formed messages of the view change with malformed data for the collectives. */
final class ControlDataTest {
    private static final NodeId PEER = NodeInboxTest.node(2);
    private static final Lineage LINEAGE = new Lineage(false, 1, PEER, 1, 0);
    private static final Ballot BALLOT = new Ballot(1, PEER);
    private static final Bytes GOOD = CollectiveMessages.encode(Resolution.NOTHING);

    /** Field 1 of both messages, a number, is 2^63-1. */
    private static final Bytes HUGE = Bytes.of(new byte[] {8, -1, -1, -1, -1, -1, -1, -1, -1, 127});

    private static View view(long epoch, Bytes resolution) {
        var member = new Member(PEER, 1, 1, Role.TRAINER, "g", 1);
        return new View(LINEAGE, epoch, List.of(member), List.of(new GroupView("g", 1, resolution)));
    }

    private static Message.Here here(Bytes status) {
        return new Message.Here(LINEAGE, 1, BALLOT, Optional.of(new Message.Status(false, status)));
    }

    private static Message.Promise promise(Optional<View> accepted) {
        return new Message.Promise(LINEAGE, 1, BALLOT, accepted.map(view -> new Proposal(BALLOT, view)));
    }

    @Test
    void reportsAndResolutionsAreReadBeforeAMachineGetsThem() {
        for (Message lie : List.of(
                new Message.Prepare(view(1, HUGE), BALLOT),
                new Message.Accept(view(1, HUGE), BALLOT, view(2, GOOD)),
                new Message.Accept(view(1, GOOD), BALLOT, view(2, HUGE)),
                new Message.Commit(view(2, HUGE)),
                here(HUGE),
                promise(Optional.of(view(2, HUGE))))) {
            assertThrows(MalformedMessageException.class, () -> ControlData.requireReadable(lie), lie::toString);
        }
    }

    @Test
    void whatAgentsAndNewMembersSayIsReadable() {
        for (Message said : List.of(
                new Message.Prepare(view(1, Bytes.EMPTY), BALLOT),
                new Message.Commit(view(2, GOOD)),
                here(Bytes.EMPTY),
                promise(Optional.of(view(2, GOOD))),
                promise(Optional.empty()),
                new Message.Accepted(LINEAGE, 1, BALLOT))) {
            assertDoesNotThrow(() -> ControlData.requireReadable(said), said::toString);
        }
    }
}
