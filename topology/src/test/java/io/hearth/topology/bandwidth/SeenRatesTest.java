package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NodeId;
import io.hearth.topology.Nodes;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SeenRatesTest {
    private static final NodeId A = Nodes.node(1);
    private static final NodeId B = Nodes.node(2);
    private static final NodeId C = Nodes.node(3);
    private static final long MIB = 1024L * 1024;
    private static final long GIGABIT = 117_500_000;
    private static final Map<NodeId, Long> ALL_FAST = Map.of(A, GIGABIT, B, GIGABIT, C, GIGABIT);

    private final SeenRates rates = new SeenRates();
    private final SortedMap<NodeId, Flow> counters = new TreeMap<>();

    /** Bytes of a flow of which {@code wire} waited for a network of that rate. */
    private SeenRatesTest flow(NodeId peer, long bytes, long wire, long bytesPerSecond) {
        var more = new Flow(bytes, wire, (long) (wire * 1e9 / bytesPerSecond), 0);
        counters.merge(peer, more, Flow::plus);
        return this;
    }

    private SortedMap<NodeId, Long> look(Map<NodeId, Long> known) {
        return rates.look(counters, known);
    }

    private static void assertRates(Map<NodeId, Long> expected, Map<NodeId, Long> seen) {
        assertEquals(expected.keySet(), seen.keySet());
        expected.forEach((peer, rate) -> {
            long its = seen.getOrDefault(peer, 0L);
            assertTrue(Math.abs(its - rate) <= rate / 100, () -> "expected " + expected + ", got " + seen);
        });
    }

    @Test
    void aLinkThatBecameSlowIsBelievedWhenItIsConfirmed() {
        assertRates(Map.of(), flow(A, 8 * MIB, 8 * MIB, 12_000_000).look(ALL_FAST));
        assertRates(
                Map.of(A, 12_000_000L), flow(A, 8 * MIB, 8 * MIB, 12_000_000).look(ALL_FAST));
    }

    @Test
    void oneSlowMomentChangesNothing() {
        flow(A, 8 * MIB, 8 * MIB, 12_000_000).look(ALL_FAST);
        assertRates(Map.of(), flow(A, 8 * MIB, 8 * MIB, GIGABIT).look(ALL_FAST));
        assertRates(Map.of(), flow(A, 8 * MIB, 8 * MIB, 12_000_000).look(ALL_FAST));
    }

    @Test
    void aSlowSenderAmongFastOnesIsTheOnlyOne() {
        for (int i = 0; i < 2; i++) { // the others' bytes were there while this node waited for A
            flow(A, 8 * MIB, 8 * MIB, 4_000_000).flow(B, 8 * MIB, 0, 1).flow(C, 8 * MIB, MIB / 2, GIGABIT);
            look(ALL_FAST);
        }
        assertRates(Map.of(A, 4_000_000L), look(ALL_FAST));
    }

    @Test
    void flowsThatFillThePortTogetherSayNothingAgainstTheirLinks() {
        for (int i = 0; i < 5; i++) { // A is received first, and the others' bytes arrive meanwhile
            flow(A, 16 * MIB, 15 * MIB, GIGABIT / 3).flow(B, 16 * MIB, 0, 1).flow(C, 16 * MIB, 0, 1);
            assertRates(Map.of(), look(ALL_FAST));
        }
    }

    @Test
    void flowsOfOneRateThroughASlowPortCountTogether() {
        for (int i = 0; i < 2; i++) {
            flow(A, 8 * MIB, 7 * MIB, 4_000_000)
                    .flow(B, 8 * MIB, MIB, 4_200_000)
                    .flow(C, 8 * MIB, MIB, 3_800_000);
            look(ALL_FAST);
        }
        assertRates(Map.of(A, 12_000_000L, B, 12_000_000L, C, 12_000_000L), look(ALL_FAST));
    }

    @Test
    void aSenderOrAReceiverThatIsTheLimitShowsNothing() {
        for (int i = 0; i < 5; i++) { // few of its bytes waited for the network
            assertRates(Map.of(), flow(A, 64 * MIB, 6 * MIB, 12_000_000).look(ALL_FAST));
        }
    }

    @Test
    void aLinkThatBecameFasterIsBelievedAtOnce() {
        Map<NodeId, Long> slow = Map.of(A, 12_000_000L, B, GIGABIT);
        assertRates(
                Map.of(A, 90_000_000L), flow(A, 8 * MIB, 8 * MIB, 90_000_000).look(slow));
    }

    @Test
    void fewBytesWaitForMoreAndAreForgottenInTheEnd() {
        Map<NodeId, Long> unknown = Map.of();
        for (int i = 0; i < SeenRates.LOOKS_MAX - 1; i++) {
            assertRates(Map.of(), flow(A, MIB / 4, MIB / 4, 12_000_000).look(unknown));
        }
        flow(A, MIB / 4, MIB / 4, 12_000_000).look(unknown); // forgets 2.5 MiB
        assertRates(Map.of(), flow(A, 3 * MIB, 3 * MIB, 12_000_000).look(unknown));
        assertRates(Map.of(A, 12_000_000L), flow(A, MIB, MIB, 12_000_000).look(unknown));
    }

    @Test
    void aVerySlowLinkIsSeenByTheTimeThatItTakes() {
        assertRates(Map.of(), flow(A, MIB, MIB, 600_000).look(Map.of()));
        assertRates(Map.of(A, 600_000L), flow(A, MIB, MIB, 600_000).look(Map.of()));
    }

    @Test
    void aRateThatIsNotSeenAgainEnds() {
        flow(A, 8 * MIB, 8 * MIB, 12_000_000).look(Map.of());
        for (int i = 0; i < SeenRates.LOOKS_MAX; i++) {
            assertRates(Map.of(A, 12_000_000L), look(Map.of(A, 12_000_000L)));
        }
        assertRates(Map.of(), look(Map.of(A, 12_000_000L)));
    }

    @Test
    void countersMayBeginAnew() {
        flow(A, 8 * MIB, 8 * MIB, 12_000_000).look(Map.of());
        counters.clear();
        assertRates(
                Map.of(A, 12_000_000L), flow(A, 5 * MIB, 5 * MIB, 12_000_000).look(Map.of()));
        assertRates(
                Map.of(A, 12_000_000L), flow(A, 5 * MIB, 5 * MIB, 12_000_000).look(Map.of()));
    }

    @Test
    void negativeCountersAreRejected() {
        assertThrows(IllegalArgumentException.class, () -> new Flow(-1, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Flow(0, 0, 0, -1));
    }
}
