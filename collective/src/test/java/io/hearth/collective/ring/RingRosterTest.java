package io.hearth.collective.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkRejection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rank 1 of three gathers the others; the test passes the time. */
final class RingRosterTest {
    private static final List<InetSocketAddress> NODES = IntStream.range(0, 3)
            .mapToObj(rank -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 1000 + rank))
            .toList();

    private final List<NodeId> greeted = new ArrayList<>();
    private final List<NodeId> lost = new ArrayList<>();
    private final RingRoster roster =
            new RingRoster(new DistributedConfig(NODES, 1), endpoint(1), greeted::add, (peer, _) -> lost.add(peer));

    private static Endpoint endpoint(int rank) {
        return new Endpoint(
                new NodeId(NodeIdentity.generate().peer(), RingRoster.slot(rank)),
                7,
                Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
    }

    private static LinkInfo link(Endpoint peer, int rank, boolean dialed) {
        return new LinkInfo(peer, NODES.get(rank), NODES.get(rank), dialed, false, 0, 0, 0, Bytes.EMPTY);
    }

    @Test
    void aRankIsDialledAgainOnlyWhenTheDialBeforeIsOver() {
        assertEquals(List.of(2), roster.dial(0));
        assertEquals(List.of(), roster.dial(9_999_999_999L));
        assertEquals(List.of(2), roster.dial(10_000_000_000L), "nothing can come of it any more");
        roster.refused(NODES.get(2), Optional.empty(), LinkRejection.TOO_LATE, "no admission within 5000 ms");
        assertEquals(List.of(2), roster.dial(10_000_000_001L));
        roster.admitted(link(endpoint(2), 2, true));
        assertEquals(List.of(), roster.dial(30_000_000_000L));
        assertEquals(1, greeted.size());
    }

    @Test
    void whoDialledCountsWhenItHasSpoken() throws Exception {
        Endpoint zero = endpoint(0);
        roster.admitted(link(zero, 0, false));
        assertEquals(1, roster.await(0).size());
        roster.received(zero.id(), 7, RingRoster.HERE, new byte[0]);
        assertEquals(2, roster.await(0).size());
        assertEquals(List.of(), greeted, "who dialled knows of its own admission");
    }

    @Test
    void aLinkThatEndsUnheardIsNoLoss() {
        roster.admitted(link(endpoint(2), 2, true));
        Endpoint gone = endpoint(0);
        roster.admitted(link(gone, 0, false));
        roster.lost(gone.id(), "it hung up");
        assertEquals(List.of(), lost);
        Endpoint zero = endpoint(0);
        roster.admitted(link(zero, 0, false));
        roster.received(zero.id(), 7, RingRoster.HERE, new byte[0]);
        roster.lost(zero.id(), "it hung up");
        assertEquals(List.of(zero.id()), lost, "the ring was complete");
    }
}
