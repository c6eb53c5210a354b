package io.hearth.cli.chaos.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ChaosJudgeTest {
    private static final long MILLI = 1_000_000L;

    private final ChaosJudge judge = new ChaosJudge(3);

    private void begun(int host, long step, String state) {
        judge.note(host, new ChaosEvent.Begun(step, step, host, 3, false, state));
    }

    private void summed(int host, long atMillis, int contributors) {
        judge.note(host, new ChaosEvent.Summed(atMillis * MILLI, 4, contributors, ChaosEvent.UNKNOWN));
    }

    private void struck(ChaosKind kind, long atMillis, int host) {
        var onward = new TreeSet<>(Set.of(0, 1, 2));
        onward.remove(host);
        judge.struck(new ChaosBlow(kind, kind.text(), atMillis * MILLI, Set.of(host), onward, true));
    }

    @ParameterizedTest
    @EnumSource(names = {"SILENT", "KILLED", "MASTER", "SLEEP", "PARTITION"})
    void recoveryLastsUntilTheLastOfThoseWhoGoOnHasAStepWithoutTheLostOne(ChaosKind kind) {
        struck(kind, 1_000, 2);
        summed(0, 1_005, 3); // was in progress at the time of the fault
        summed(0, 1_150, 2);
        summed(1, 1_170, 2);
        summed(0, 1_200, 2);
        judge.settle();
        ChaosReport report = judge.report();
        assertEquals(Map.of(kind, List.of(170 * MILLI)), report.recoveryNanos());
        assertEquals(Map.of(kind.text(), 1L), report.faults());
        assertTrue(report.isGood(), report::toString);
    }

    @Test
    void whatWasToldOfBeforeTheFaultIsNoRecovery() {
        struck(ChaosKind.KILLED, 1_000, 2);
        summed(0, 999, 2);
        summed(1, 1_100, 2);
        judge.settle();
        assertEquals(1, judge.report().hangs());
        assertEquals(Map.of(), judge.report().recoveryNanos());
    }

    @Test
    void aStruckHostRecoversNobody() {
        struck(ChaosKind.SILENT, 1_000, 2);
        summed(0, 1_100, 2);
        summed(2, 1_100, 2);
        judge.settle();
        assertEquals(
                List.of("hang: after silent of host 2, host 1 completed no step without them"),
                judge.report().problems());
    }

    @Test
    void whoMayNotGoOnNeedNot() {
        judge.struck(new ChaosBlow(ChaosKind.SHATTER, "split_1_1_1", 0, Set.of(0, 1, 2), Set.of(), false));
        judge.settle();
        assertTrue(judge.report().isGood());
    }

    @Test
    void aFaultBesideAnotherMustBeSurvivedAndIsNotMeasured() {
        judge.struck(new ChaosBlow(ChaosKind.KILLED, "killed", 0, Set.of(2), Set.of(0, 1), false));
        summed(0, 1, 1);
        summed(1, 1, 1);
        judge.settle();
        assertEquals(Map.of(), judge.report().recoveryNanos());
        assertEquals(0, judge.report().hangs());
    }

    @Test
    void differentWeightsAtTheBeginOfAStepAreADivergence() {
        begun(0, 7, "aa");
        begun(1, 7, "aa");
        begun(0, 8, "bb");
        assertEquals(0, judge.report().divergences());
        begun(2, 8, "cc");
        assertEquals(1, judge.report().divergences());
    }

    @Test
    void differentWeightsAtTheEndAreADivergence() {
        judge.note(0, new ChaosEvent.Ended(1, 9, "aa"));
        judge.note(1, new ChaosEvent.Ended(1, 9, "ab"));
        assertEquals(1, judge.report().divergences());
    }

    @Test
    void aWrongSumIsADivergence() {
        judge.note(1, new ChaosEvent.Summed(1, 9, 3, ChaosEvent.WRONG));
        assertEquals(1, judge.report().divergences());
    }

    @Test
    void aNewTrainingIsNotComparedWithTheOldOne() {
        begun(0, 0, "aa");
        summed(0, 1, 3);
        judge.restarted();
        begun(0, 0, "bb");
        summed(0, 2, 3);
        assertEquals(0, judge.report().divergences());
        assertEquals(10, judge.report().steps());
    }

    @Test
    void aShortPauseMustNotCostTheMembership() {
        struck(ChaosKind.PAUSE, 1_000, 1);
        summed(0, 2_100, 3);
        judge.settle();
        assertTrue(judge.report().isGood());

        struck(ChaosKind.PAUSE, 3_000, 1);
        summed(0, 4_100, 2);
        judge.settle();
        assertEquals(1, judge.report().removalsOfPaused());

        struck(ChaosKind.PAUSE, 5_000, 1);
        judge.note(1, new ChaosEvent.Removed(6_000 * MILLI, "the others went on"));
        judge.settle();
        assertEquals(2, judge.report().removalsOfPaused());
        assertFalse(judge.report().isGood());
    }

    @Test
    void aLongPauseMayCostIt() {
        struck(ChaosKind.SLEEP, 1_000, 1);
        summed(0, 3_000, 2);
        summed(2, 3_000, 2);
        judge.note(1, new ChaosEvent.Removed(11_000 * MILLI, "the others went on"));
        judge.settle();
        assertTrue(judge.report().isGood());
    }

    @Test
    void whoIsRemovedWithoutHavingBeenStruckIsCounted() {
        struck(ChaosKind.SILENT, 1_000, 1);
        judge.note(1, new ChaosEvent.Removed(4_000 * MILLI, "the others went on"));
        assertEquals(0, judge.report().removalsOfHealthy());
        judge.note(2, new ChaosEvent.Removed(4_000 * MILLI, "the others went on"));
        assertEquals(1, judge.report().removalsOfHealthy());
        summed(0, 4_000, 2);
        summed(2, 4_000, 2);
        judge.settle();
        judge.note(1, new ChaosEvent.Removed(5_000 * MILLI, "the others went on"));
        assertEquals(2, judge.report().removalsOfHealthy());
        assertTrue(judge.report().isGood());
    }

    private void switchWasOff() {
        judge.struck(new ChaosBlow(ChaosKind.SWITCH, "switch", 1_000 * MILLI, Set.of(), Set.of(), false));
    }

    private String settle(long wholeMillis) {
        return judge.settle(OptionalLong.of(wholeMillis * MILLI));
    }

    @Test
    void afterTheSwitchIsBackAllAreMembersStill() {
        switchWasOff();
        summed(0, 900, 3);
        summed(0, 4_000, 3);
        assertEquals("switch, all together 0.4 s after the healing", settle(400));
        ChaosReport report = judge.report();
        assertTrue(report.isGood(), report::toString);
        assertEquals(1, report.rounds());
        assertEquals(Map.of(ChaosKind.SWITCH, List.of(400 * MILLI)), report.returnNanos());
        assertEquals(Map.of(), report.recoveryNanos());
    }

    @Test
    void whoeverTheSwitchCostsItsMembershipBreaksThePromise() {
        switchWasOff();
        judge.note(2, new ChaosEvent.Removed(4_000 * MILLI, "the others went on"));
        assertEquals("switch, all together 0.4 s after the healing, host 2 removed without a fault", settle(400));
        assertEquals(1, judge.report().brokenPromises());
        assertEquals(
                List.of("broken promise: switch: host 2 removed without a fault"),
                judge.report().problems());

        switchWasOff();
        summed(0, 4_000, 2); // the removed host may not know it yet
        summed(0, 5_000, 3);
        settle(400);
        assertEquals(2, judge.report().brokenPromises());

        switchWasOff();
        summed(0, 4_000, 3);
        settle(400);
        assertEquals(2, judge.report().brokenPromises());
    }

    @ParameterizedTest
    @EnumSource(names = {"MUTE", "DEAF", "AWAY", "DISK"})
    void onlyTheStruckHostIsRemovedAndOnlyOnce(ChaosKind kind) {
        struck(kind, 1_000, 2);
        summed(0, 2_500, 2);
        summed(1, 2_600, 2);
        summed(0, 6_000, 3);
        summed(1, 6_000, 3);
        String name = kind.text() + " of host 2, next step after 1600 ms, all together 0.5 s after the healing";
        assertEquals(name, settle(500));
        assertTrue(judge.report().isGood(), () -> judge.report().toString());
        assertEquals(Map.of(kind, List.of(1_600 * MILLI)), judge.report().recoveryNanos());

        struck(kind, 11_000, 2);
        summed(0, 12_500, 2);
        summed(1, 12_500, 2);
        summed(0, 13_000, 3);
        summed(0, 14_000, 2); // removed, admitted and removed again
        settle(500);
        assertEquals(1, judge.report().brokenPromises());

        struck(kind, 21_000, 2);
        summed(0, 22_500, 2);
        summed(1, 22_500, 2);
        judge.note(1, new ChaosEvent.Removed(23_000 * MILLI, "the others went on"));
        settle(500);
        assertEquals(2, judge.report().brokenPromises());
    }

    @Test
    void whoWasAwayIsBackSoon() {
        struck(ChaosKind.AWAY, 1_000, 2);
        summed(0, 2_500, 2);
        summed(1, 2_500, 2);
        settle(5_000);
        assertTrue(judge.report().isGood());

        struck(ChaosKind.AWAY, 11_000, 2);
        summed(0, 12_500, 2);
        summed(1, 12_500, 2);
        settle(5_001);
        assertEquals(1, judge.report().brokenPromises());

        struck(ChaosKind.AWAY, 21_000, 2);
        summed(0, 22_500, 2);
        summed(1, 22_500, 2);
        assertEquals(
                "away of host 2, next step after 1500 ms, not back within 5.0 s", judge.settle(OptionalLong.empty()));
        assertEquals(2, judge.report().brokenPromises());
    }

    @ParameterizedTest
    @CsvSource({"2500, 0", "2501, 1"})
    void aSlowDiskKeepsNobodyWaiting(long millis, int broken) {
        struck(ChaosKind.DISK, 1_000, 2);
        summed(0, 1_000 + millis, 2);
        summed(1, 1_100, 2);
        settle(500);
        assertEquals(broken, judge.report().brokenPromises());
    }

    @ParameterizedTest
    @CsvSource({"250, 0", "251, 1"})
    void theDeathOfOneProcessOfAMachineIsSurvivedSoon(long millis, int broken) {
        for (long round : List.of(1_000L, 11_000L, 21_000L)) {
            struck(ChaosKind.PROCESS, round, 2);
            long recovery = round == 1_000 ? 900 : millis; // the median counts
            summed(0, round + recovery, 2);
            summed(1, round + recovery, 2);
            settle(500);
        }
        assertEquals(broken, judge.report().brokenPromises());
        assertEquals(broken == 0, judge.report().isGood());
    }

    @Test
    void theOthersMustNotNeedTheHealing() {
        struck(ChaosKind.PROCESS, 1_000, 2);
        summed(0, 1_200, 2);
        summed(1, 1_200, 2);
        judge.healed(3_000 * MILLI);
        settle(500);
        assertEquals(0, judge.report().brokenPromises());

        struck(ChaosKind.PROCESS, 11_000, 2);
        judge.healed(13_000 * MILLI);
        judge.healed(15_000 * MILLI);
        summed(0, 14_200, 2);
        summed(1, 11_200, 2);
        assertEquals(
                "process of host 2, next step after 3200 ms, all together 0.5 s after the healing,"
                        + " the others did not go on before the healing",
                settle(500));
    }

    @Test
    void aProcessThatNobodySurvivesIsAHang() {
        struck(ChaosKind.PROCESS, 1_000, 0);
        assertEquals("process of host 0", judge.settle(OptionalLong.empty()));
        assertEquals(1, judge.report().hangs());
    }

    @Test
    void aReportIsThereBeforeTheEnd() {
        assertEquals(0, judge.report().rounds());
        struck(ChaosKind.PROCESS, 1_000, 2);
        assertEquals(0, judge.report().rounds());
        assertTrue(judge.report().lines().getFirst().startsWith("rounds"));
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        assertEquals(2.5, ChaosReport.medianMillis(List.of(4 * MILLI, MILLI, 2 * MILLI, 3 * MILLI)));
        assertEquals(3, ChaosReport.medianMillis(List.of(9 * MILLI, 3 * MILLI, MILLI)));
    }

    @Test
    void theReportNamesTheThreeKindsAlways() {
        struck(ChaosKind.KILLED, 0, 2);
        summed(0, 100, 2);
        summed(1, 110, 2);
        judge.settle();
        judge.took(1_500 * MILLI);
        judge.took(2_500 * MILLI);
        assertTrue(
                judge.report().lines().stream()
                        .anyMatch(line -> line.matches("time of a round +median 2.0 s, worst 2.5 s")),
                () -> judge.report().lines().toString());
        assertEquals(
                "{\"schema\":1,\"rounds\":1,\"round_ms\":{\"median\":2000.0,\"max\":2500.0,\"n\":2},\"faults\":{\"killed\":1},\"steps\":5,\"hangs\":0,\"divergences\":0,"
                        + "\"removals_of_paused\":0,\"removals_of_healthy\":0,\"broken_promises\":0,\"recovery_ms\":{\"silent\":{\"median\":null,\"max\":null,\"n\":0},"
                        + "\"killed\":{\"median\":110.0,\"max\":110.0,\"n\":1},"
                        + "\"master\":{\"median\":null,\"max\":null,\"n\":0}},\"return_ms\":{},\"problems\":[]}",
                judge.report().toJson().toString());
    }
}
