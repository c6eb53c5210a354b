package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.HandClock;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AwayPeersTest {
    private static final NodeId AGENT = NodeInboxTest.node(2);
    private static final NodeId TRAINER = new NodeId(AGENT.peer(), "t0");

    private final HandClock clock = new HandClock();
    private final AwayPeers away = new AwayPeers(clock);

    private List<NodeId> ids() {
        return away.list().stream().map(ClusterStatus.Away::id).toList();
    }

    @Test
    void anAgentIsRememberedForDaysUntilItReturns() {
        away.lost(AGENT, "studio", Optional.of("10.0.0.2:52416"), "silent for 1.9 s");
        long since = clock.epochMillis();
        clock.pass(5 * 86_400);
        assertEquals(
                List.of(new ClusterStatus.Away(AGENT, "studio", "10.0.0.2:52416", since, "silent for 1.9 s")),
                away.list());
        away.returned(AGENT);
        assertEquals(List.of(), away.list());
    }

    @Test
    void aTrainerIsForgottenSoonAndManyMachinesAreBounded() {
        away.lost(TRAINER, "studio", Optional.empty(), "the peer closed the link: the node is closing");
        assertEquals(List.of(), ids(), "its program ended");
        away.lost(TRAINER, "studio", Optional.empty(), "silent for 1.9 s");
        assertEquals(List.of(TRAINER), ids());
        clock.pass(601);
        assertEquals(List.of(), ids());
        for (int i = 0; i < 100; i++) {
            away.lost(NodeInboxTest.node(i), "", Optional.empty(), "x");
        }
        assertEquals(64, ids().size());
        assertEquals(NodeInboxTest.node(99), ids().getLast());
    }
}
