package io.hearth.cli.chaos.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.chaos.ChaosOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChaosDrillTest {
    private static final int ACTS = 500;
    private static final long SECOND = 1_000_000_000L;
    private static final Duration AWAY = Duration.ofMinutes(11);

    private static ChaosDrill drill(long seed, int hosts, ChaosKind... kinds) {
        return new ChaosDrill(seed, hosts, List.of(kinds), AWAY);
    }

    private static List<ChaosPlan.Act> acts(ChaosDrill drill) {
        return IntStream.range(0, ACTS).mapToObj(_ -> drill.next()).toList();
    }

    private static ChaosPlan.Fault fault(ChaosPlan.Act act) {
        return act.moves().getFirst().fault();
    }

    @Test
    void oneSeedIsOneDrillAndAnotherIsAnother() {
        assertEquals(acts(drill(7, 5, ChaosKind.SWITCH)), acts(drill(7, 5, ChaosKind.SWITCH)));
        assertNotEquals(acts(drill(7, 5, ChaosKind.SWITCH)), acts(drill(8, 5, ChaosKind.SWITCH)));
    }

    @Test
    void theSwitchTakesAllCablesAtOnceAndGivesEachBackOnce() {
        var spans = new TreeSet<Long>();
        for (ChaosPlan.Act act : acts(drill(1, 5, ChaosKind.SWITCH))) {
            assertEquals(List.of(List.of(0, 1, 2, 3, 4)), fault(act).sides());
            assertEquals(0, act.moves().getFirst().afterNanos());
            List<ChaosPlan.Move> back = act.moves().subList(1, act.moves().size());
            assertTrue(back.stream().allMatch(ChaosPlan.Move::heals));
            assertEquals(
                    List.of(0, 1, 2, 3, 4),
                    back.stream().map(move -> move.fault().rank()).sorted().toList());
            assertTrue(back.getFirst().afterNanos() >= 2_500_000_000L, "longer than the silence that counts");
            spans.add(back.getLast().afterNanos() - back.getFirst().afterNanos());
            assertEquals(List.of(), act.onward());
            assertFalse(act.isMeasured());
        }
        assertTrue(spans.first() < SECOND, spans::toString);
        assertTrue(spans.last() > 2 * SECOND && spans.last() < 3 * SECOND, spans::toString);
    }

    @ParameterizedTest
    @EnumSource(names = {"MUTE", "DEAF", "AWAY", "DISK", "PROCESS"})
    void oneHostIsStruckAndTheOthersGoOn(ChaosKind kind) {
        for (ChaosPlan.Act act : acts(drill(2, 3, kind))) {
            assertEquals(2, act.moves().size());
            assertEquals(kind, fault(act).kind());
            assertTrue(act.moves().getLast().heals());
            assertEquals(2, act.onward().size());
            assertFalse(act.onward().contains(fault(act).rank()));
            assertTrue(act.isMeasured());
            long heals = act.moves().getLast().afterNanos();
            assertTrue(kind == ChaosKind.AWAY ? heals == AWAY.toNanos() : heals < 6 * SECOND, act::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 8})
    void everyHostHasItsTurnBeforeOneHasItAgain(int hosts) {
        List<ChaosPlan.Act> acts = acts(drill(3, hosts, ChaosKind.MUTE, ChaosKind.DEAF));
        for (int from = 0; from + hosts <= acts.size(); from += hosts) {
            var turn = new TreeSet<Integer>();
            acts.subList(from, from + hosts).forEach(act -> turn.add(fault(act).rank()));
            assertEquals(hosts, turn.size());
        }
    }

    @Test
    void oneWayIsEitherWay() {
        EnumSet<ChaosKind> seen = EnumSet.noneOf(ChaosKind.class);
        acts(drill(4, 3, ChaosKind.MUTE, ChaosKind.DEAF))
                .forEach(act -> seen.add(fault(act).kind()));
        assertEquals(EnumSet.of(ChaosKind.MUTE, ChaosKind.DEAF), seen);
    }

    @Test
    void theHostWithTheSlowDiskLives() {
        var slow = new TreeSet<Integer>();
        for (long seed = 0; seed < 50; seed++) {
            ChaosDrill drill = drill(seed, 3, ChaosKind.DISK);
            int host = drill.slow().orElseThrow();
            slow.add(host);
            acts(drill).forEach(act -> assertNotEquals(host, fault(act).rank()));
        }
        assertEquals(Set.of(0, 1, 2), slow);
        assertTrue(drill(1, 3, ChaosKind.PROCESS).slow().isEmpty());
    }

    @Test
    void aHostThatWasRemovedIsStruckInANewTrainingOnly() {
        ChaosDrill drill = drill(5, 3, ChaosKind.MUTE);
        var struck = new ArrayList<Integer>();
        for (int i = 0; i < 3; i++) {
            ChaosPlan.Act act = drill.next();
            assertFalse(ChaosDrill.needsNewTraining(act, Set.copyOf(struck)));
            struck.add(fault(act).rank());
        }
        assertTrue(ChaosDrill.needsNewTraining(drill.next(), Set.copyOf(struck)));
        ChaosPlan.Act restart = drill(5, 3, ChaosKind.SWITCH).next();
        assertFalse(ChaosDrill.needsNewTraining(restart, Set.of()));
        assertTrue(ChaosDrill.needsNewTraining(restart, Set.of(1)));
    }

    @Test
    void aRoundOfAShortKindIsShort() {
        for (ChaosKind kind : ChaosKind.values()) {
            if (kind.isMixed() || kind == ChaosKind.AWAY) {
                continue;
            }
            for (ChaosPlan.Act act : acts(drill(6, 5, kind))) {
                long nanos = act.waitNanos() + act.moves().getLast().afterNanos();
                assertTrue(nanos < 7_600_000_000L, () -> nanos + " ns in " + act);
            }
        }
    }

    @Test
    void whatIsNoDrillIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> drill(1, 2, ChaosKind.SWITCH));
        assertThrows(IllegalArgumentException.class, () -> drill(1, 3, ChaosKind.SILENT));
        assertThrows(IllegalArgumentException.class, () -> drill(1, 3));
        assertThrows(
                IllegalArgumentException.class, () -> new ChaosDrill(1, 3, List.of(ChaosKind.AWAY), Duration.ZERO));
    }

    @Test
    void everyKindHasAWayToBeAskedForAlone() {
        EnumSet<ChaosKind> kinds = EnumSet.noneOf(ChaosKind.class);
        Arrays.stream(ChaosOnly.values()).forEach(only -> {
            kinds.addAll(only.kinds());
            assertEquals(
                    1, only.kinds().stream().map(ChaosKind::isMixed).distinct().count());
        });
        assertTrue(Arrays.stream(ChaosKind.values()).allMatch(kind -> kind.isMixed() || kinds.contains(kind)));
        for (String name : ChaosOnly.NAMES.split(", | or ", -1)) {
            assertTrue(ChaosOnly.of(name).isPresent(), name);
        }
        assertTrue(ChaosOnly.of("flood").isEmpty());
    }
}
