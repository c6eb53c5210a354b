package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.identity.NodeId;
import io.hearth.topology.Nodes;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class OutRatesTest {
    private static final NodeId A = Nodes.node(1);
    private static final NodeId B = Nodes.node(2);
    private static final NodeId C = Nodes.node(3);
    private static final Map<NodeId, Long> KNOWN = Map.of(A, 940L, B, 940L, C, 940L);

    private final OutRates rates = new OutRates();

    private Map<NodeId, Long> look(Map<NodeId, Long> seen) {
        return rates.look(new TreeMap<>(seen), KNOWN);
    }

    private Map<NodeId, Long> steady(Map<NodeId, Long> seen) {
        for (int i = 1; i < OutRates.LOOKS_MIN; i++) {
            assertEquals(Map.of(), look(seen));
        }
        return look(seen);
    }

    @Test
    void aSlowPortThatThreeFlowsShareHasTheRateOfAllThree() {
        assertEquals(Map.of(A, 96L, B, 96L, C, 96L), steady(Map.of(A, 32L, B, 33L, C, 31L)));
    }

    @Test
    void aFullPortIsNoSlowLink() {
        assertEquals(Map.of(), steady(Map.of(A, 313L, B, 310L, C, 315L)));
    }

    @Test
    void aFullPortThatIsSharedUnequallyIsNoSlowLink() {
        assertEquals(Map.of(), steady(Map.of(A, 550L, B, 250L, C, 150L)));
    }

    @Test
    void aReceiverFarBelowTheOthersOfAFullPortHasASlowLink() {
        assertEquals(Map.of(C, 90L), steady(Map.of(A, 450L, B, 450L, C, 90L)));
    }

    @Test
    void flowsThatTakeTurnsMakeNoFasterPort() {
        assertEquals(Map.of(), steady(Map.of(A, 800L, B, 800L)));
    }

    @Test
    void aMuchFasterFlowRaisesTheRate() {
        assertEquals(Map.of(A, 1_500L), steady(Map.of(A, 1_500L)));
    }

    @Test
    void aSlowLinkOfAFastPortStandsAlone() {
        assertEquals(Map.of(A, 95L), steady(Map.of(A, 95L, B, 940L)));
    }

    @Test
    void reportsThatComeOneAfterTheOtherMakeNoWrongRate() {
        assertEquals(Map.of(), look(Map.of(A, 32L)));
        assertEquals(Map.of(), look(Map.of(A, 32L, B, 32L)));
        assertEquals(Map.of(), look(Map.of(A, 32L, B, 32L, C, 32L)));
        assertEquals(Map.of(), look(Map.of(A, 32L, B, 32L, C, 32L)));
        assertEquals(Map.of(A, 96L, B, 96L, C, 96L), look(Map.of(A, 32L, B, 32L, C, 32L)));
    }

    @Test
    void aReceiverThatSeesNothingAnyMoreBeginsAnew() {
        steady(Map.of(A, 95L));
        assertEquals(Map.of(), look(Map.of()));
        assertEquals(Map.of(), look(Map.of(A, 95L)));
    }

    @Test
    void aRateStaysNewsUntilItIsKnown() {
        steady(Map.of(A, 95L));
        assertEquals(Map.of(A, 95L), look(Map.of(A, 95L)));
        assertEquals(Map.of(), rates.look(new TreeMap<>(Map.of(A, 97L)), Map.of(A, 95L)));
    }
}
