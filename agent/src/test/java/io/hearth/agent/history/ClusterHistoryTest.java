package io.hearth.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.status.TestStatus;
import io.hearth.election.health.HealthStatus;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClusterHistoryTest {
    private static final NodeId DESK = NodeInboxTest.node(1);
    private static final NodeId STUDIO = NodeInboxTest.node(2);
    private static final NodeId BOOK = NodeInboxTest.node(3);
    private static final HealthStatus GOOD = HealthStatus.HEALTHY;
    private static final HealthStatus BAD = HealthStatus.UNHEALTHY;

    private static TestStatus three(long epoch, HealthStatus studio) {
        return new TestStatus(epoch)
                .member(DESK, "desk", GOOD)
                .member(STUDIO, "studio", studio)
                .member(BOOK, "book", GOOD);
    }

    private static List<String> texts(ClusterHistory history) {
        return history.events().stream().map(ClusterEvent::text).toList();
    }

    @Test
    void aMachineThatFallsSilentAndIsRemovedIsToldWithReasonAndTime() {
        ClusterHistory history = ClusterHistory.EMPTY
                .with(three(3, GOOD).make(), 1_000)
                .with(
                        new TestStatus(3)
                                .member(DESK, "desk", GOOD)
                                .member(STUDIO, "studio", BAD, Optional.of("silent for 1.9 s"))
                                .member(BOOK, "book", GOOD)
                                .make(),
                        2_000)
                .with(
                        new TestStatus(4)
                                .member(DESK, "desk", GOOD)
                                .member(BOOK, "book", GOOD)
                                .away(STUDIO, "studio", "silent for 1.9 s")
                                .make(),
                        2_800);
        assertEquals(
                List.of(
                        "studio is unhealthy: silent for 1.9 s",
                        "studio left: silent for 1.9 s; view 4 of 2 members after 0.8 s"),
                texts(history));
        assertEquals(
                List.of(
                        new HealthChange(1_000, GOOD),
                        new HealthChange(2_000, BAD),
                        new HealthChange(2_800, HealthStatus.UNKNOWN)),
                history.health().get(STUDIO));
    }

    @Test
    void whoComesAndGoesInOrderIsToldOnce() {
        ClusterHistory history = ClusterHistory.EMPTY
                .with(new TestStatus(1).member(DESK, "desk", GOOD).make(), 0)
                .with(
                        new TestStatus(2)
                                .member(DESK, "desk", GOOD)
                                .member(BOOK, "", HealthStatus.UNKNOWN)
                                .make(),
                        10)
                .with(
                        new TestStatus(2)
                                .member(DESK, "desk", GOOD)
                                .member(BOOK, "book", GOOD)
                                .make(),
                        20)
                .with(
                        new TestStatus(3)
                                .member(DESK, "desk", GOOD)
                                .away(BOOK, "book", "the node is closing")
                                .make(),
                        30);
        assertEquals(
                List.of(
                        BOOK.shortText() + " joined: view 2 of 2 members",
                        "book left: the node is closing; view 3 of 1 member"),
                texts(history));
        assertEquals(
                List.of(1L, 2L),
                history.events().stream().map(ClusterEvent::number).toList());
        assertEquals(
                texts(history).subList(1, 2),
                history.after(1).stream().map(ClusterEvent::text).toList());
    }

    @Test
    void anotherClusterWaitingAndARefusalAreTold() {
        ClusterHistory history = ClusterHistory.EMPTY
                .with(new TestStatus(1).member(DESK, "desk", GOOD).make(), 0)
                .with(
                        new TestStatus(7)
                                .lineage("other#2.0")
                                .member(DESK, "desk", GOOD)
                                .member(BOOK, "book", GOOD)
                                .make(),
                        1)
                .with(
                        new TestStatus(7)
                                .lineage("other#2.0")
                                .member(DESK, "desk", GOOD)
                                .member(BOOK, "book", GOOD)
                                .waiting("no quorum")
                                .refused("10.0.0.7", "another namespace")
                                .make(),
                        2)
                .with(
                        new TestStatus(7)
                                .lineage("other#2.0")
                                .member(DESK, "desk", GOOD)
                                .member(BOOK, "book", GOOD)
                                .make(),
                        3);
        assertEquals(
                List.of(
                        "this node is in the cluster of desk: view 7 of 2 members",
                        "waiting: no quorum",
                        "refused 10.0.0.7: another namespace",
                        "no longer waiting"),
                texts(history));
    }

    @Test
    void whereNothingHappensNothingIsKept() {
        ClusterHistory once = ClusterHistory.EMPTY.with(three(3, GOOD).make(), 1);
        assertSame(once, once.with(three(3, GOOD).make(), 2));
    }

    /** A day of a machine that comes and goes each second. */
    @Test
    void itDoesNotGrow() {
        ClusterHistory history = ClusterHistory.EMPTY;
        for (int second = 0; second < 86_400; second++) {
            NodeId passing = NodeInboxTest.node(2 + second % 100);
            TestStatus status = new TestStatus(second).member(DESK, "desk", second % 2 == 0 ? GOOD : BAD);
            history = history.with(
                    (second % 3 == 0 ? status.member(passing, "p", GOOD) : status).make(), second * 1_000L);
        }
        assertEquals(256, history.events().size());
        assertTrue(history.health().size() <= 64, () -> "nodes are forgotten");
        assertTrue(history.health().values().stream().allMatch(changes -> changes.size() <= 64));
        assertTrue(history.health().containsKey(DESK));
    }
}
