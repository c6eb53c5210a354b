package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.TestNode;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.machine.LinkChoice.Verdict;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LinkChoiceTest {
    private static final List<NodeId> NODES = Stream.generate(
                    () -> new NodeId(NodeIdentity.generate().peer(), "agent"))
            .limit(2)
            .sorted()
            .toList();
    private static final NodeId SMALL = NODES.get(0);
    private static final NodeId LARGE = NODES.get(1);
    private static final Bytes BOOT = TestNode.bootId();

    private static RemoteNode link(NodeId peer, long incarnation, Bytes boot, boolean dialed, long dial) {
        return new RemoteNode(
                new Endpoint(peer, incarnation, boot), 1, 1, RecordCipher.Suite.AES_256_GCM, dialed, dial);
    }

    private static Verdict judge(NodeId self, RemoteNode held, RemoteNode offered) {
        return LinkChoice.judge(self, held, offered);
    }

    @Test
    void aNewerStartReplacesAnOlderOneAndNeverTheOtherWayRound() {
        var old = link(LARGE, 4, TestNode.bootId(), true, 9);
        var young = link(LARGE, 5, TestNode.bootId(), false, 1);
        assertEquals(Verdict.REPLACES, judge(SMALL, old, young));
        assertEquals(Verdict.STALE, judge(SMALL, young, old));
    }

    @Test
    void aSecondProcessOfTheSameIncarnationIsStale() {
        assertEquals(
                Verdict.STALE, judge(SMALL, link(LARGE, 4, BOOT, true, 1), link(LARGE, 4, TestNode.bootId(), true, 2)));
    }

    @Test
    void aDirectLinkReplacesARelayedOneAtBothEndsWhoeverDialled() {
        for (boolean dialed : new boolean[] {true, false}) {
            for (boolean relayDialed : new boolean[] {true, false}) {
                var direct = link(LARGE, 4, BOOT, dialed, 1);
                var relayed = relayed(link(LARGE, 4, BOOT, relayDialed, 9));
                assertEquals(Verdict.REPLACES, judge(SMALL, relayed, direct));
                assertEquals(Verdict.YIELDS, judge(SMALL, direct, relayed));
            }
        }
        assertEquals(
                Verdict.REPLACES,
                judge(SMALL, link(LARGE, 4, BOOT, true, 1), relayed(link(LARGE, 5, TestNode.bootId(), true, 2))));
        assertEquals(
                Verdict.SUCCEEDS,
                judge(SMALL, relayed(link(LARGE, 4, BOOT, true, 1)), relayed(link(LARGE, 4, BOOT, true, 2))));
    }

    private static RemoteNode relayed(RemoteNode node) {
        return new RemoteNode(
                node.endpoint(),
                node.linkPort(),
                node.dataPort(),
                node.suite(),
                node.dialed(),
                node.dial(),
                true,
                node.common(),
                node.replaces());
    }

    @Test
    void theLinkDialledByTheSmallerNodeStaysAtBothEnds() {
        var ours = link(LARGE, 4, BOOT, true, 1);
        var theirs = link(LARGE, 4, BOOT, false, 7);
        assertEquals(Verdict.YIELDS, judge(SMALL, ours, theirs));
        assertEquals(Verdict.SUCCEEDS, judge(SMALL, theirs, ours));
        var oursAtLarge = link(SMALL, 4, BOOT, true, 7);
        var theirsAtLarge = link(SMALL, 4, BOOT, false, 1);
        assertEquals(Verdict.SUCCEEDS, judge(LARGE, oursAtLarge, theirsAtLarge));
        assertEquals(Verdict.YIELDS, judge(LARGE, theirsAtLarge, oursAtLarge));
    }

    @Test
    void theLaterDialOfOneProcessStays() {
        for (boolean dialed : new boolean[] {true, false}) {
            var first = link(LARGE, 4, BOOT, dialed, 1);
            var second = link(LARGE, 4, BOOT, dialed, 2);
            assertEquals(Verdict.SUCCEEDS, judge(SMALL, first, second));
            assertEquals(Verdict.YIELDS, judge(SMALL, second, first));
            assertEquals(Verdict.YIELDS, judge(SMALL, first, first));
        }
    }

    private static RemoteNode replacing(RemoteNode silent, RemoteNode node) {
        return new RemoteNode(
                node.endpoint(),
                node.linkPort(),
                node.dataPort(),
                node.suite(),
                node.dialed(),
                node.dial(),
                node.relayed(),
                node.common(),
                silent.name());
    }

    @Test
    void aLinkReplacesTheSilentOneThatItsDiallerNamesAndNoOther() {
        for (boolean dialed : new boolean[] {true, false}) {
            for (boolean silentDialed : new boolean[] {true, false}) {
                var silent = link(LARGE, 4, BOOT, silentDialed, 5);
                var next = link(LARGE, 4, BOOT, dialed, 3); // of another process it may have any number
                assertEquals(Verdict.REPLACES, judge(SMALL, silent, replacing(silent, next)));
                assertEquals(Verdict.REPLACES, judge(SMALL, silent, replacing(silent, relayed(next))));
                assertEquals(Verdict.REPLACES, judge(SMALL, relayed(silent), replacing(silent, relayed(next))));
                var another = link(LARGE, 4, BOOT, silentDialed, 6);
                assertEquals(Verdict.YIELDS, judge(SMALL, another, replacing(silent, relayed(next))));
                var opposite = link(LARGE, 4, BOOT, !silentDialed, 5);
                assertEquals(Verdict.YIELDS, judge(SMALL, opposite, replacing(silent, relayed(next))));
            }
        }
        var old = link(LARGE, 4, BOOT, true, 5);
        assertEquals(Verdict.STALE, judge(SMALL, old, replacing(old, link(LARGE, 3, TestNode.bootId(), true, 6))));
        var nameless = link(LARGE, 4, BOOT, false, 0);
        assertEquals(
                Verdict.YIELDS, judge(SMALL, nameless, replacing(nameless, relayed(link(LARGE, 4, BOOT, true, 6)))));
    }

    @Test
    void bothEndsKeepTheSameOfTwoLinksThatReplaceOneSilentLink() {
        var silent = link(LARGE, 4, BOOT, true, 5);
        var ours = replacing(silent, link(LARGE, 4, BOOT, true, 6));
        var theirs = replacing(silent, link(LARGE, 4, BOOT, false, 2));
        assertEquals(Verdict.YIELDS, judge(SMALL, ours, theirs));
        assertEquals(Verdict.SUCCEEDS, judge(SMALL, theirs, ours));
        var silentThere = link(SMALL, 4, BOOT, false, 5);
        var oursThere = replacing(silentThere, link(SMALL, 4, BOOT, false, 6));
        var theirsThere = replacing(silentThere, link(SMALL, 4, BOOT, true, 2));
        assertEquals(Verdict.YIELDS, judge(LARGE, oursThere, theirsThere));
        assertEquals(Verdict.SUCCEEDS, judge(LARGE, theirsThere, oursThere));
    }
}
