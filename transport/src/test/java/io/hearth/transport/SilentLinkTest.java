package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A silent link is replaced by one that its end dials at another address, or through a third node. */
final class SilentLinkTest {
    private static final int KIND = 40;

    private final NamespaceKeys keys = NetworkNamespace.create("silent").keys();
    private TestNode small;
    private TestNode large;
    private TestNode third;

    @BeforeEach
    void start() throws Exception {
        List<NodeIdentity> identities = Stream.generate(NodeIdentity::generate)
                .limit(2)
                .sorted((one, other) -> one.peer().compareTo(other.peer()))
                .toList();
        small = node(identities.get(0));
        large = node(identities.get(1));
        third = node(NodeIdentity.generate());
    }

    @AfterEach
    void stop() {
        small.close();
        large.close();
        third.close();
    }

    private TestNode node(NodeIdentity identity) throws Exception {
        return new TestNode(identity, "agent", 1, keys, options -> options, AeadCipher::new);
    }

    private static LinkInfo replaced(TestNode node) throws InterruptedException {
        Seen.Lost lost = node.await(Seen.Lost.class);
        assertEquals("it was silent, and another way works", lost.reason());
        return node.await(Seen.Admitted.class).link();
    }

    private static void assertTalk(TestNode from, TestNode to) throws InterruptedException {
        assertTrue(from.links.send(to.id(), KIND, new byte[] {1}));
        assertEquals(from.id(), to.await(Seen.Received.class).from());
    }

    @Test
    void eitherEndReplacesASilentLinkWhoeverDialledIt() throws Exception {
        small.link(large); // this one stays against any ordinary dial of the other
        large.links.dialAround(small.id(), small.address());
        assertFalse(replaced(small).dialedByUs());
        assertTrue(replaced(large).dialedByUs());
        assertTalk(small, large);
        assertTalk(large, small);
        small.links.dialAround(large.id(), large.address());
        assertTrue(replaced(small).dialedByUs());
        assertFalse(replaced(large).dialedByUs());
        assertTalk(small, large);
        assertTalk(large, small);
    }

    @Test
    void aRelayedLinkReplacesASilentDirectOneAndADirectOneComesBack() throws Exception {
        small.link(large);
        small.link(third);
        large.link(third);
        large.links.dialThrough(third.id(), small.id(), true);
        assertTrue(replaced(small).relayed());
        assertTrue(replaced(large).relayed());
        assertTalk(small, large);
        assertTalk(large, small);
        small.dial(large);
        assertEquals("replaced by a direct link", small.await(Seen.Lost.class).reason());
        assertFalse(small.await(Seen.Admitted.class).link().relayed());
        large.links.dialThrough(third.id(), small.id(), false);
        assertTrue(large.await(Seen.Refused.class).text().contains("another link"), "nobody said that it is silent");
    }

    @Test
    void aLinkThatIsHeardAgainIsKept() throws Exception {
        small.link(large);
        var isGivenUp = new CountDownLatch(1);
        Thread talker = Thread.ofVirtual().start(() -> {
            while (isGivenUp.getCount() > 0) {
                large.links.send(small.id(), KIND, new byte[1]);
                Thread.onSpinWait();
            }
        });
        small.links.dialAround(large.id(), large.address());
        assertTrue(small.await(Seen.Refused.class).text().contains("heard again"));
        isGivenUp.countDown();
        talker.join();
        assertTrue(large.await(Seen.Refused.class).text().contains("heard again"));
        assertEquals(1, small.links.links().size());
        assertTalk(small, large);
        assertTrue(small.seen.stream().noneMatch(Seen.Lost.class::isInstance));
    }

    @Test
    void aNodeWithoutALinkIsNotDialledAround() throws Exception {
        small.links.dialAround(large.id(), large.address());
        small.dial(large);
        assertTrue(small.await(Seen.Admitted.class).link().dialedByUs());
        large.await(Seen.Admitted.class);
        assertEquals(1, large.links.counters().admitted());
    }
}
