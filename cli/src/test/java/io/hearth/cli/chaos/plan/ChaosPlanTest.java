package io.hearth.cli.chaos.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChaosPlanTest {
    private static final int ACTS = 2_000;

    private static EnumSet<ChaosKind> mixed() {
        EnumSet<ChaosKind> kinds = EnumSet.allOf(ChaosKind.class);
        kinds.removeIf(kind -> !kind.isMixed());
        return kinds;
    }

    private static List<ChaosPlan.Act> acts(long seed, int hosts) {
        var plan = new ChaosPlan(seed, hosts);
        return IntStream.range(0, ACTS).mapToObj(_ -> plan.next()).toList();
    }

    @Test
    void oneSeedIsOnePlanAndAnotherIsAnother() {
        assertEquals(acts(7, 5), acts(7, 5));
        assertNotEquals(acts(7, 5), acts(8, 5));
    }

    @Test
    void everyKindComes() {
        var seen = EnumSet.noneOf(ChaosKind.class);
        var splits = new TreeSet<String>();
        for (ChaosPlan.Act act : acts(1, 5)) {
            act.moves().forEach(move -> seen.add(move.fault().kind()));
            act.moves().stream()
                    .map(ChaosPlan.Move::fault)
                    .filter(fault -> fault.kind().isSplit())
                    .forEach(fault -> splits.add(fault.text()));
        }
        assertEquals(mixed(), seen);
        assertEquals(Set.of("split_2_2_1", "split_3_2"), splits);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6, 7, 9})
    void aSideThatMayGoOnIsLeftOrNobodyHasTo(int hosts) {
        for (ChaosPlan.Act act : acts(3, hosts)) {
            boolean isShatter =
                    act.moves().stream().anyMatch(move -> move.fault().kind() == ChaosKind.SHATTER);
            assertEquals(isShatter, act.onward().isEmpty(), act::toString);
            assertTrue(isShatter || ChaosPlan.isQuorum(act.onward(), hosts), act::toString);
            for (ChaosPlan.Move move : act.moves()) {
                if (!move.fault().kind().isSplit()) {
                    assertFalse(act.onward().contains(move.fault().rank()), act::toString);
                } else {
                    assertEquals(
                            IntStream.range(0, hosts).boxed().toList(),
                            move.fault().sides().stream()
                                    .flatMap(List::stream)
                                    .sorted()
                                    .toList());
                    assertEquals(
                            !isShatter,
                            move.fault().sides().stream().anyMatch(side -> ChaosPlan.isQuorum(side, hosts)),
                            act::toString);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void everyFaultIsHealedOnceAndInTheOrderOfTime(int hosts) {
        for (ChaosPlan.Act act : acts(4, hosts)) {
            var open = new ArrayList<ChaosPlan.Fault>();
            long last = 0;
            for (ChaosPlan.Move move : act.moves()) {
                assertTrue(move.afterNanos() >= last, act::toString);
                last = move.afterNanos();
                assertTrue(move.heals() ? open.remove(move.fault()) : open.add(move.fault()), act::toString);
            }
            assertEquals(List.of(), open, act::toString);
        }
    }

    @Test
    void theMasterIsKilledUnderItsOwnName() {
        for (ChaosPlan.Act act : acts(5, 5)) {
            for (ChaosPlan.Move move : act.moves()) {
                switch (move.fault().kind()) {
                    case MASTER -> assertEquals(0, move.fault().rank());
                    case KILLED -> assertNotEquals(0, move.fault().rank());
                    case SILENT, PAUSE, SLEEP, PARTITION, SHATTER -> {}
                    case SWITCH, MUTE, DEAF, AWAY, DISK, PROCESS -> fail(act.toString());
                }
            }
        }
    }

    @Test
    void twoFaultsAtOnceAreOnlyWhereThreeRemainAndAreNotMeasured() {
        var sizes = new HashSet<Integer>();
        acts(6, 5).forEach(act -> {
            sizes.add(act.moves().size());
            assertEquals(act.moves().size() == 2 && !act.onward().isEmpty(), act.isMeasured());
        });
        assertEquals(Set.of(2, 4), sizes);
        assertTrue(acts(6, 4).stream().allMatch(act -> act.moves().size() == 2));
    }

    @ParameterizedTest
    @CsvSource({"'1,2,3', 5, true", "'0,1', 5, false", "'0,3', 4, true", "'1,2', 4, false", "'0', 3, false"})
    void aQuorumIsMoreThanHalfOrHalfWithRankZero(String ranks, int hosts, boolean isQuorum) {
        List<Integer> side =
                List.of(ranks.split(",", -1)).stream().map(Integer::valueOf).toList();
        assertEquals(isQuorum, ChaosPlan.isQuorum(side, hosts));
    }

    @Test
    void twoHostsAreTooFew() {
        assertThrows(IllegalArgumentException.class, () -> new ChaosPlan(1, 2));
    }
}
