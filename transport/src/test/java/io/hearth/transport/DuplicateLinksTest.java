package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DuplicateLinksTest {
    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();

    private static TestNode start(NodeIdentity identity, long incarnation, NamespaceKeys keys) throws Exception {
        return new TestNode(identity, "agent", incarnation, keys, options -> options, AeadCipher::new);
    }

    private static LinkInfo only(TestNode node) {
        List<LinkInfo> links = node.links.links();
        assertEquals(1, links.size());
        return links.getFirst();
    }

    @Test
    void ofTwoLinksDialledAtOnceTheSmallerNodesStaysAndNobodySeesTheOther() throws Exception {
        for (int round = 0; round < 10; round++) {
            try (var a = new TestNode(keys);
                    var b = new TestNode(keys)) {
                a.dial(b);
                b.dial(a);
                a.await(Seen.Admitted.class);
                b.await(Seen.Admitted.class);
                int messages = 2_000; // across the change from one link to the other
                for (int i = 0; i < messages; i++) {
                    assertTrue(a.links.send(b.id(), 16 + i, new byte[10]));
                    assertTrue(b.links.send(a.id(), 16 + i, new byte[10]));
                }
                boolean aSmaller = a.id().compareTo(b.id()) < 0;
                TestNode.until(
                        "the smaller node's link stays",
                        () -> only(a).dialedByUs() == aSmaller && only(b).dialedByUs() == !aSmaller);
                assertTrue(a.links.send(b.id(), 9_999, new byte[0]));
                assertTrue(b.links.send(a.id(), 9_999, new byte[0]));
                for (TestNode node : List.of(a, b)) {
                    var kinds = new ArrayList<Integer>();
                    for (int i = 0; i < messages + 1; i++) {
                        kinds.add(node.await(Seen.Received.class).kind());
                    }
                    assertEquals(messages + 1, kinds.stream().distinct().count());
                    assertTrue(
                            node.seen.stream()
                                    .noneMatch(seen -> seen instanceof Seen.Lost || seen instanceof Seen.Admitted),
                            node.seen.toString());
                }
            }
        }
    }

    @Test
    void whoDialsAgainGetsALinkInPlaceOfTheOldOne() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.link(b);
            var first = only(b).address();
            a.dial(b);
            TestNode.until("the second dial stays", () -> !only(b).address().equals(first) && only(a).dialedByUs());
            assertEquals(only(a).address(), a.await(Seen.Moved.class).link().address());
            assertEquals(only(b).address(), b.await(Seen.Moved.class).link().address());
            assertTrue(b.links.send(a.id(), 16, new byte[0]));
            LinkInfo reached = a.await(Seen.Reached.class).link();
            assertEquals(b.id(), reached.peer().id());
            assertEquals(b.links.port(), reached.address().getPort());
            assertEquals(16, a.await(Seen.Received.class).kind());
            assertTrue(b.seen.stream().noneMatch(Seen.Lost.class::isInstance), b.seen.toString());
            assertTrue(b.seen.stream().noneMatch(Seen.Reached.class::isInstance), b.seen.toString());
        }
    }

    /** A dialling node gets the outcome, whichever of two links remains: without an outcome the address would not be dialled again. */
    @Test
    void eachDialHasOneOutcome() throws Exception {
        for (int round = 0; round < 10; round++) {
            try (var a = new TestNode(keys);
                    var b = new TestNode(keys)) {
                a.dial(b);
                b.dial(a);
                a.await("outcome of a dial", seen -> isOutcomeOf(seen, b));
                b.await("outcome of a dial", seen -> isOutcomeOf(seen, a));
            }
        }
    }

    private static boolean isOutcomeOf(Seen seen, TestNode dialled) {
        return switch (seen) {
            case Seen.Admitted(LinkInfo link) ->
                link.dialedByUs() && link.peer().equals(dialled.self);
            case Seen.Reached(LinkInfo link) -> link.peer().equals(dialled.self);
            case Seen.Refused refused -> refused.refusal() == LinkRejection.DUPLICATE;
            default -> false;
        };
    }

    @Test
    void aStreamOutlivesTheDuplicateThatItWasOpenedOver() throws Exception {
        NodeIdentity[] identities = Stream.generate(NodeIdentity::generate)
                .limit(2)
                .sorted(Comparator.comparing(NodeIdentity::peer))
                .toArray(NodeIdentity[]::new);
        try (var small = start(identities[0], 1, keys);
                var large = start(identities[1], 1, keys)) {
            large.link(small);
            var id = new StreamId("digits", "e1", 0);
            var patience = Duration.ofSeconds(20);
            DataStream[] ends = new DataStream[2];
            Thread other = Thread.ofVirtual().start(() -> {
                try {
                    ends[1] = small.links.streams().open(large.id(), id, patience);
                } catch (Exception failed) {
                    throw new AssertionError(failed);
                }
            });
            ends[0] = large.links.streams().open(small.id(), id, patience);
            other.join();
            small.dial(large);
            TestNode.until(
                    "the smaller node's link stays",
                    () -> only(small).dialedByUs() && !only(large).dialedByUs());
            var header = new RecordHeader(1, RecordHeader.USER_MIN, 0, 5, 0);
            Records.send(ends[0], header);
            assertEquals(header, ends[1].receive().header());
        }
    }

    @Test
    void aNewerStartOfANodeReplacesTheOlderOne() throws Exception {
        NodeIdentity identity = NodeIdentity.generate();
        try (var old = start(identity, 4, keys);
                var b = new TestNode(keys)) {
            old.link(b);
            try (var young = start(identity, 5, keys)) {
                young.dial(b);
                assertTrue(b.await(Seen.Lost.class).reason().contains("newer start"));
                assertEquals(young.self, b.await(Seen.Admitted.class).link().peer());
                assertTrue(old.await(Seen.Lost.class).reason().contains("newer start"));
                assertNotEquals(old.self, only(b).peer());

                old.dial(b);
                Seen.Refused refused = old.await(Seen.Refused.class);
                assertEquals(LinkRejection.OLD_INCARNATION, refused.refusal());
                assertEquals(young.self, only(b).peer());
                assertFalse(old.links.send(b.id(), 16, new byte[0]));
            }
        }
    }
}
