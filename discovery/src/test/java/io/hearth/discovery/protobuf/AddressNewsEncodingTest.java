package io.hearth.discovery.protobuf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.gossip.AddressNews;
import io.hearth.discovery.gossip.Reached;
import io.hearth.discovery.wire.AddressMessage;
import io.hearth.discovery.wire.AddressNewsMessage;
import io.hearth.discovery.wire.ReachedMessage;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressNewsEncodingTest {
    private static final NodeId NODE = new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "trainer-1");

    @Test
    void newsArriveAsTheyWereSent() throws MalformedMessageException {
        var news = new AddressNews(List.of(new Reached(
                NODE, List.of(new PeerAddress("192.168.1.2", 52_416), new PeerAddress("2001:db8:0:0:0:0:0:1", 1)))));
        assertEquals(news, AddressNewsEncoding.decode(AddressNewsEncoding.encode(news)));
    }

    @Test
    void interfacesOfTheSenderStayWithTheSender() throws MalformedMessageException {
        var sent = new AddressNews(List.of(new Reached(NODE, List.of(new PeerAddress("fe80:0:0:0:0:0:0:7%en5", 9)))));
        AddressNews arrived = AddressNewsEncoding.decode(AddressNewsEncoding.encode(sent));
        assertEquals(
                List.of(new PeerAddress("fe80:0:0:0:0:0:0:7", 9)),
                arrived.reached().getFirst().addresses());
    }

    @Test
    void theLargestNewsFitIntoAFrame() throws MalformedMessageException {
        var addresses = new ArrayList<PeerAddress>();
        for (int i = 0; i < Sighting.CANDIDATES_MAX; i++) {
            addresses.add(new PeerAddress("2001:db8:ffff:ffff:ffff:ffff:ffff:fff" + i, 65_535));
        }
        var node = new NodeId(NODE.peer(), "t".repeat(32));
        var reached = new ArrayList<Reached>();
        for (int i = 0; i < AddressNews.NODES_MAX; i++) {
            reached.add(new Reached(node, addresses));
        }
        var news = new AddressNews(reached);
        assertEquals(news, AddressNewsEncoding.decode(AddressNewsEncoding.encode(news)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "nas", "nas.local", "0.0.0.0", "::", "224.0.0.251", "ff02::fb", "fe80::1%lo", "256.1.1.1"})
    void whatIsNoAddressOfOneNodeIsRefused(String host) {
        assertThrows(MalformedMessageException.class, () -> AddressNewsEncoding.decode(news(host, 1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65_536, -1})
    void portsHaveARange(int port) {
        assertThrows(MalformedMessageException.class, () -> AddressNewsEncoding.decode(news("10.0.0.1", port)));
    }

    @Test
    void tooMuchIsRefused() {
        var nine = ReachedMessage.newBuilder()
                .setPeer(ByteString.copyFrom(NODE.peer().publicKey()))
                .setSlot("agent");
        for (int i = 0; i < 9; i++) {
            nine.addAddresses(AddressMessage.newBuilder().setHost("10.0.0.1").setPort(1 + i));
        }
        byte[] addresses =
                AddressNewsMessage.newBuilder().addReached(nine).build().toByteArray();
        assertThrows(MalformedMessageException.class, () -> AddressNewsEncoding.decode(addresses));
        assertThrows(MalformedMessageException.class, () -> AddressNewsEncoding.decode(new byte[0]));
        assertThrows(MalformedMessageException.class, () -> AddressNewsEncoding.decode(new byte[70_000]));
    }

    @Test
    void damagedNewsAreRefusedAndNothingElseHappens() {
        byte[] sound = news("10.0.0.1", 52_416);
        var random = new SplittableRandom(7);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = Arrays.copyOf(sound, random.nextInt(sound.length + 8));
            for (int flips = random.nextInt(6); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                AddressNewsEncoding.decode(bytes);
            } catch (MalformedMessageException expected) {
                refused++;
            }
        }
        assertTrue(refused > 1_000, "refused " + refused);
    }

    private static byte[] news(String host, int port) {
        return AddressNewsMessage.newBuilder()
                .addReached(ReachedMessage.newBuilder()
                        .setPeer(ByteString.copyFrom(NODE.peer().publicKey()))
                        .setSlot("agent")
                        .addAddresses(AddressMessage.newBuilder().setHost(host).setPort(port)))
                .build()
                .toByteArray();
    }
}
