package io.hearth.discovery.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Step;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.gossip.AddressGossip.Effect;
import io.hearth.discovery.gossip.AddressGossip.Event;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class AddressGossipTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final NodeId SELF = node(2);
    private static final NodeId ANNA = node(1);
    private static final NodeId BERT = node(3);
    private static final NodeId CARL = node(4);
    private static final PeerAddress AT_A = new PeerAddress("192.168.1.1", 52_416);
    private static final PeerAddress AT_B = new PeerAddress("192.168.1.3", 52_416);
    private static final PeerAddress AT_C = new PeerAddress("192.168.1.4", 52_416);

    private final AddressGossip machine = new AddressGossip(SELF);
    private AddressGossip.State state = AddressGossip.State.EMPTY;
    private long now = Long.MAX_VALUE - 3 * SECOND; // overflows on the way

    @Test
    void aNewcomerIsToldOfEverybodyAndEverybodyOfTheNewcomer() {
        assertEquals(List.of(), happens(new Event.Linked(ANNA, AT_A)));
        passes(2 * SECOND);
        assertEquals(
                List.of(tell(ANNA, reached(BERT, AT_B)), tell(BERT, reached(ANNA, AT_A))),
                happens(new Event.Linked(BERT, AT_B)));
        passes(2 * SECOND);
        assertEquals(
                List.of(
                        tell(ANNA, reached(CARL, AT_C)),
                        tell(BERT, reached(CARL, AT_C)),
                        tell(CARL, reached(ANNA, AT_A), reached(BERT, AT_B))),
                happens(new Event.Linked(CARL, AT_C)));
    }

    @Test
    void whatChangesFastIsToldOnceASecond() {
        happens(new Event.Linked(ANNA, AT_A));
        passes(2 * SECOND);
        happens(new Event.Linked(BERT, AT_B));
        List<Effect> first = happens(new Event.Linked(CARL, AT_C));
        assertTrue(first.stream().noneMatch(effect -> isFor(effect, ANNA)), "a second has not passed: " + first);
        assertEquals(SECOND, machine.sleepNanos(state, now));
        passes(SECOND);
        assertTrue(happens(new Event.Tick()).contains(tell(ANNA, reached(CARL, AT_C))));
    }

    @Test
    void whoIsLinkedAgainMayHaveBeenStartedAgainAndIsToldEverythingAndTheOthersNothing() {
        happens(new Event.Linked(ANNA, AT_A));
        happens(new Event.Linked(BERT, AT_B));
        passes(2 * SECOND);
        happens(new Event.Tick());
        assertEquals(List.of(tell(BERT, reached(ANNA, AT_A))), happens(new Event.Linked(BERT, AT_B)));
    }

    @Test
    void aNewAddressIsNewsAndComesFirst() {
        happens(new Event.Linked(ANNA, AT_A));
        happens(new Event.Linked(BERT, AT_B));
        passes(2 * SECOND);
        happens(new Event.Tick());
        assertEquals(
                List.of(tell(ANNA, reached(BERT, AT_C, AT_B))),
                happens(new Event.Linked(BERT, AT_C)).stream()
                        .filter(effect -> isFor(effect, ANNA))
                        .toList());
    }

    @Test
    void whoIsLostIsToldOfForTenMinutes() {
        happens(new Event.Linked(BERT, AT_B));
        happens(new Event.Lost(BERT));
        passes(599 * SECOND);
        assertEquals(List.of(tell(ANNA, reached(BERT, AT_B))), happens(new Event.Linked(ANNA, AT_A)));
        passes(SECOND);
        assertEquals(
                List.of(),
                happens(new Event.Linked(CARL, AT_C)).stream()
                        .filter(effect -> effect.toString().contains(AT_B.host()))
                        .toList());
    }

    @Test
    void everythingIsToldAgainEachMinuteAndWhenAViewIsNew() {
        happens(new Event.Linked(ANNA, AT_A));
        happens(new Event.Linked(BERT, AT_B));
        passes(2 * SECOND);
        happens(new Event.Tick());
        List<Effect> both = List.of(tell(ANNA, reached(BERT, AT_B)), tell(BERT, reached(ANNA, AT_A)));
        passes(2 * SECOND);
        assertEquals(both, happens(new Event.Together(Set.of(SELF, ANNA, BERT))));
        assertEquals(List.of(), happens(new Event.Together(Set.of(SELF, ANNA))));
        passes(61 * SECOND);
        assertEquals(both, happens(new Event.Tick()));
    }

    @Test
    void addressesOfOneMachineOrLinkStayThere() {
        PeerAddress loop = new PeerAddress("127.0.0.1", 7);
        PeerAddress local = new PeerAddress("fe80:0:0:0:0:0:0:3%eth0", 8);
        PeerAddress neighbour = new PeerAddress("fe80:0:0:0:0:0:0:4%eth0", 9);
        happens(new Event.Linked(ANNA, loop));
        happens(new Event.Linked(BERT, local));
        assertEquals(
                List.of(tell(CARL, reached(BERT, local))),
                happens(new Event.Linked(CARL, neighbour)).stream()
                        .filter(effect -> isFor(effect, CARL))
                        .toList());
        assertTrue(happens(new Event.Linked(node(9), AT_A)).stream().noneMatch(effect -> isFor(effect, node(9))));
    }

    @Test
    void whatIsHeardIsAHintForTheTable() {
        happens(new Event.Linked(BERT, AT_B));
        assertEquals(
                List.of(new Effect.Hint(reached(CARL, AT_C), true), new Effect.Hint(reached(ANNA, AT_A), false)),
                happens(heard(BERT, reached(CARL, AT_C), reached(SELF, AT_B), reached(ANNA, AT_A))));
    }

    @Test
    void addressesOfALinkAreTakenFromThatLinkOnly() {
        PeerAddress bare = new PeerAddress("fe80:0:0:0:0:0:0:4", 9);
        PeerAddress loop = new PeerAddress("127.0.0.1", 7);
        happens(new Event.Linked(BERT, AT_B));
        assertEquals(List.of(), happens(heard(BERT, reached(CARL, bare, loop))));
        happens(new Event.Linked(ANNA, new PeerAddress("fe80:0:0:0:0:0:0:1%en0", 9)));
        assertEquals(
                List.of(new Effect.Hint(reached(CARL, new PeerAddress("fe80:0:0:0:0:0:0:4%en0", 9)), true)),
                happens(heard(ANNA, reached(CARL, bare, loop))));
    }

    @Test
    void whoFloodsIsNotHeard() {
        happens(new Event.Linked(BERT, AT_B));
        int hints = 0;
        for (int i = 0; i < 1_000; i++) {
            hints += happens(heard(BERT, reached(CARL, AT_C))).size();
        }
        assertEquals(8, hints);
        passes(SECOND);
        assertEquals(1, happens(heard(BERT, reached(CARL, AT_C))).size());
        assertEquals(List.of(), happens(heard(CARL, reached(ANNA, AT_A))), "it has no link");
    }

    @Test
    void whateverHappensBoundsHold() {
        for (long seed = 0; seed < (Boolean.getBoolean("hearth.full") ? 20 : 5); seed++) {
            var random = new SplittableRandom(seed);
            state = AddressGossip.State.EMPTY;
            for (int i = 0; i < 3_000; i++) {
                NodeId node = node(random.nextInt(400));
                switch (random.nextInt(5)) {
                    case 0 -> happens(new Event.Lost(node));
                    case 1 -> happens(heard(node, reached(node(random.nextInt(400)), AT_C)));
                    case 2 -> passes(random.nextLong(3 * SECOND));
                    default -> happens(new Event.Linked(node, new PeerAddress("10.0.0.1", 1 + random.nextInt(40))));
                }
            }
            assertTrue(state.nodes().size() <= AddressGossip.NODES_MAX);
            state.nodes().values().forEach(known -> {
                assertTrue(known.addresses().size() <= Sighting.CANDIDATES_MAX);
                assertTrue(known.linked() || known.pending().isEmpty());
            });
            assertTrue(machine.sleepNanos(state, now) >= 0);
        }
    }

    private List<Effect> happens(Event event) {
        Step<AddressGossip.State, Effect> step = machine.step(state, event, now);
        state = step.state();
        return step.effects();
    }

    private void passes(long nanos) {
        now += nanos;
    }

    private static boolean isFor(Effect effect, NodeId node) {
        return effect instanceof Effect.Send(var to, var _) && to.equals(node);
    }

    private static Effect tell(NodeId to, Reached... reached) {
        return new Effect.Send(to, new AddressNews(Arrays.asList(reached)));
    }

    private static Event heard(NodeId from, Reached... reached) {
        return new Event.Heard(from, new AddressNews(Arrays.asList(reached)));
    }

    private static Reached reached(NodeId node, PeerAddress... addresses) {
        return new Reached(node, Arrays.asList(addresses));
    }

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) (number >> 8);
        key[1] = (byte) number;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }
}
