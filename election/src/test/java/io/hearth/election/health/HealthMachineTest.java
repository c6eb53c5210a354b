package io.hearth.election.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Step;
import io.hearth.election.Beat;
import io.hearth.election.Nodes;
import io.hearth.election.health.HealthMachine.Effect;
import io.hearth.election.health.HealthMachine.Event;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class HealthMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final NodeId PEER = Nodes.agent(2);

    /** A machine, its state and its clock, ticked as its shell would. */
    private static final class Bench {
        final HealthConfig config;
        final HealthMachine machine;
        HealthState state;
        final List<Effect> effects = new ArrayList<>();
        long now;
        long heard;

        Bench(HealthConfig config) {
            this.config = config;
            this.machine = new HealthMachine(config);
            this.state = machine.start(0);
        }

        Bench event(Event event) {
            Step<HealthState, Effect> step = machine.step(state, event, now);
            state = step.state();
            effects.addAll(step.effects());
            return this;
        }

        Bench pass(long nanos) {
            long until = now + nanos;
            while (true) {
                long sleep = Math.max(MILLI, machine.sleepNanos(state, now));
                if (now + sleep > until) {
                    now = until;
                    return this;
                }
                now += sleep;
                event(new Event.Tick());
            }
        }

        Bench linked() {
            return event(new Event.Members(new TreeSet<>(List.of(PEER)), true))
                    .event(new Event.Linked(PEER, 1))
                    .event(new Event.Heard(PEER, 1));
        }

        HealthStatus status() {
            return peer().status();
        }

        PeerHealth peer() {
            return state.peer(PEER, config, now).orElseThrow();
        }

        long count(Class<? extends Effect> kind) {
            return effects.stream().filter(kind::isInstance).count();
        }
    }

    static Stream<HealthConfig> presets() {
        return Stream.of(
                HealthConfig.of(Preset.LAN),
                HealthConfig.of(Preset.WIFI),
                HealthConfig.of(Preset.WAN),
                HealthConfig.of(100 * MILLI, 400 * MILLI));
    }

    /** A shell that looks from time to time, and delivers the tick when it is due. */
    @ParameterizedTest
    @MethodSource("presets")
    void aNodeWithoutPeersStillNoticesThatTimePasses(HealthConfig config) {
        var bench = new Bench(config);
        for (int look = 0; look < 100; look++) {
            bench.now += config.gapNanos() / 5;
            if (bench.machine.sleepNanos(bench.state, bench.now) <= 0) {
                bench.event(new Event.Tick());
            }
        }
        bench.linked();
        assertEquals(0, bench.count(Effect.Awoke.class));
    }

    @ParameterizedTest
    @MethodSource("presets")
    void onlyTheFullSpanOfSilenceMakesSuspect(HealthConfig config) {
        var bench = new Bench(config).linked();
        bench.pass(config.silenceNanos() - MILLI);
        assertEquals(HealthStatus.DEGRADED, bench.status());
        assertEquals(0, bench.count(Effect.Suspected.class));
        bench.pass(2 * MILLI);
        assertEquals(HealthStatus.UNHEALTHY, bench.status());
        assertEquals(1, bench.count(Effect.Suspected.class));
        bench.pass(10 * config.silenceNanos());
        assertEquals(1, bench.count(Effect.Suspected.class), "a peer is suspected once");
    }

    @ParameterizedTest
    @MethodSource("presets")
    void heartbeatsGoOutOnSchedule(HealthConfig config) {
        var bench = new Bench(config).linked();
        for (int i = 0; i < 40; i++) {
            bench.pass(config.heartbeatNanos()).event(new Event.Heard(PEER, 1));
        }
        long sent = bench.count(Effect.SendHeartbeat.class);
        assertTrue(sent >= 40 && sent <= 42, sent + " heartbeats in 40 intervals");
    }

    @Test
    void aPeerThatIsHeardAgainIsTrusted() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(2_000 * MILLI);
        assertEquals(HealthStatus.UNHEALTHY, bench.status());
        bench.event(new Event.Heard(PEER, 1));
        assertEquals(HealthStatus.HEALTHY, bench.status());
        assertEquals(1, bench.count(Effect.Trusted.class));
        double share = bench.peer().uptimeShare();
        assertTrue(share > 0.7 && share < 0.8, "suspected for 0.5 s of 2 s, uptime " + share);
    }

    @Test
    void aClosedLinkIsSuspectAtOnceWhenRedialIsRefused() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(100 * MILLI);
        bench.event(new Event.LinkLost(PEER, 1));
        assertEquals(HealthStatus.DEGRADED, bench.status());
        bench.event(new Event.RedialRefused(PEER));
        assertEquals(HealthStatus.UNHEALTHY, bench.status());
        assertEquals(1, bench.count(Effect.ProcessEnded.class));
        bench.event(new Event.RedialRefused(PEER));
        assertEquals(1, bench.count(Effect.ProcessEnded.class), "told once");
    }

    @Test
    void aRefusalAfterTheSuspicionIsReported() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().event(new Event.LinkLost(PEER, 1));
        bench.pass(301 * MILLI);
        assertEquals(0, bench.count(Effect.ProcessEnded.class));
        bench.event(new Event.RedialRefused(PEER));
        assertEquals(1, bench.count(Effect.Suspected.class));
        assertEquals(1, bench.count(Effect.ProcessEnded.class));
    }

    @Test
    void aClosedLinkThatIsNotBackInTimeIsSuspect() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().event(new Event.LinkLost(PEER, 1));
        bench.pass(299 * MILLI);
        assertEquals(HealthStatus.DEGRADED, bench.status());
        bench.pass(2 * MILLI);
        assertEquals(HealthStatus.UNHEALTHY, bench.status());
    }

    @Test
    void aClosedLinkThatIsBackInTimeIsNoDeath() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().event(new Event.LinkLost(PEER, 1));
        bench.pass(250 * MILLI).event(new Event.Linked(PEER, 1)).pass(500 * MILLI);
        assertEquals(0, bench.count(Effect.Suspected.class));
        assertEquals(HealthStatus.HEALTHY, bench.status());
    }

    @Test
    void aRefusedDialOfALivingLinkMeansNothing() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().event(new Event.RedialRefused(PEER));
        assertEquals(HealthStatus.HEALTHY, bench.status());
    }

    @Test
    void framesLeftOverFromAClosedLinkProveNothing() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().event(new Event.LinkLost(PEER, 1));
        bench.event(new Event.Heard(PEER, 1)).pass(301 * MILLI);
        assertEquals(HealthStatus.UNHEALTHY, bench.status());
    }

    @Test
    void anOwnPauseIsNoSilenceOfAPeer() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(1_400 * MILLI);
        bench.now += 60_000 * MILLI;
        bench.event(new Event.Tick());
        assertEquals(1, bench.count(Effect.Awoke.class));
        assertEquals(0, bench.count(Effect.Suspected.class));
        bench.pass(1_499 * MILLI);
        assertEquals(0, bench.count(Effect.Suspected.class), "all timers start again after a pause");
        bench.pass(2 * MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class));
    }

    @Test
    void aPauseOfSevenHundredMillisecondsIsNone() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked();
        bench.now += 700 * MILLI;
        bench.event(new Event.Tick());
        assertEquals(0, bench.count(Effect.Awoke.class));
    }

    @Test
    void aPauseTooShortToNoticeMakesNoPeerSuspect() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(1_100 * MILLI); // the peer stands still
        bench.now += 545 * MILLI; // and then this node
        bench.event(new Event.Tick());
        assertEquals(0, bench.count(Effect.Suspected.class), "its heartbeats may be waiting to be read");
        bench.pass(500 * MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class), "no heartbeats were waiting");
    }

    @Test
    void aNodeThatIsAlwaysALittleLateStillSuspects() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked();
        long started = bench.now;
        while (bench.count(Effect.Suspected.class) == 0) {
            bench.now += bench.machine.sleepNanos(bench.state, bench.now) + 60 * MILLI;
            bench.event(new Event.Tick());
        }
        assertTrue(bench.now - started < 2_500 * MILLI, "after " + (bench.now - started) / MILLI + " ms");
    }

    @Test
    void withoutPeersNoPauseIsNoticed() {
        var bench = new Bench(HealthConfig.of(Preset.LAN));
        bench.now += 5_000 * MILLI; // a slow start
        bench.linked();
        assertEquals(0, bench.count(Effect.Awoke.class));
    }

    @Test
    void aTickIsDueInTimeToNoticeAPauseEvenIfAllPeersAreLost() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(10_000 * MILLI);
        assertEquals(HealthStatus.UNHEALTHY, bench.status());
        bench.event(new Event.LinkLost(PEER, 1));
        assertEquals(350 * MILLI, bench.machine.sleepNanos(bench.state, bench.now));
        assertEquals(0, bench.machine.sleepNanos(bench.state, bench.now + 350 * MILLI));
    }

    @Test
    void jitterWidensTheSpanAndItsAbsenceNeverNarrowsIt() {
        var steady = new Bench(HealthConfig.of(Preset.LAN)).linked();
        beats(steady, 40, 0);
        assertEquals(0, steady.peer().jitterNanos());
        steady.pass(1_499 * MILLI);
        assertEquals(0, steady.count(Effect.Suspected.class));
        steady.pass(2 * MILLI);
        assertEquals(1, steady.count(Effect.Suspected.class));

        var uneven = new Bench(HealthConfig.of(Preset.LAN)).linked();
        beats(uneven, 40, 120 * MILLI);
        assertTrue(
                uneven.peer().jitterNanos() > 100 * MILLI,
                "jitter " + uneven.peer().jitterNanos());
        uneven.pass(2_000 * MILLI);
        assertEquals(0, uneven.count(Effect.Suspected.class));
        uneven.pass(4_000 * MILLI);
        assertEquals(1, uneven.count(Effect.Suspected.class), "at most four times the span");
    }

    private static void beats(Bench bench, int count, long unevenNanos) {
        for (int i = 1; i <= count; i++) {
            bench.pass(250 * MILLI + (i % 2 == 0 ? unevenNanos : -unevenNanos));
            bench.event(new Event.HeartbeatHeard(PEER, 1, new Beat(i, 0, 0, 0)));
        }
    }

    @Test
    void roundTripsAreMeasuredWithoutTheTimeTheEchoWasHeld() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked();
        var sent = (Effect.SendHeartbeat) bench.effects.stream()
                .filter(Effect.SendHeartbeat.class::isInstance)
                .findFirst()
                .orElseThrow();
        bench.pass(103 * MILLI);
        bench.event(new Event.HeartbeatHeard(PEER, 1, new Beat(1, sent.beat().sequence(), 100 * MILLI, 0)));
        assertEquals(3 * MILLI, bench.peer().lastRttNanos().orElseThrow());
        assertEquals(3 * MILLI, bench.peer().meanRttNanos().orElseThrow());
        bench.event(new Event.HeartbeatHeard(PEER, 1, new Beat(2, sent.beat().sequence(), 92 * MILLI, 0)));
        assertEquals(11 * MILLI, bench.peer().lastRttNanos().orElseThrow());
        assertEquals(4 * MILLI, bench.peer().meanRttNanos().orElseThrow());
    }

    @Test
    void impossibleEchoesAreNoMeasurement() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(10 * MILLI);
        bench.event(new Event.HeartbeatHeard(PEER, 1, new Beat(1, 99, 0, 0)));
        bench.event(new Event.HeartbeatHeard(PEER, 1, new Beat(2, 1, Long.MAX_VALUE, 0)));
        bench.event(new Event.HeartbeatHeard(PEER, 1, new Beat(2, 1, 0, 0)));
        assertTrue(bench.peer().lastRttNanos().isEmpty());
    }

    @Test
    void aNewStartOfAPeerBeginsWithoutHistoryAndTheOldOneIsIgnored() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(2_000 * MILLI);
        bench.event(new Event.Linked(PEER, 2));
        assertEquals(HealthStatus.UNKNOWN, bench.status());
        bench.event(new Event.Heard(PEER, 1)).event(new Event.Linked(PEER, 1)).event(new Event.LinkLost(PEER, 1));
        assertEquals(HealthStatus.UNKNOWN, bench.status());
        assertEquals(2, bench.peer().incarnation());
    }

    @Test
    void missedHeartbeatsAreCountedInARow() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked().pass(1_010 * MILLI);
        assertEquals(4, bench.peer().failuresInRow());
        bench.event(new Event.Heard(PEER, 1));
        assertEquals(0, bench.peer().failuresInRow());
    }

    @Test
    void theTableIsBounded() {
        var bench = new Bench(new HealthConfig(
                250 * MILLI,
                1_500 * MILLI,
                300 * MILLI,
                700 * MILLI,
                60_000 * MILLI,
                2,
                Optional.empty(),
                Optional.empty()));
        bench.event(new Event.Linked(Nodes.agent(3), 1)).event(new Event.Linked(Nodes.agent(4), 1));
        bench.event(new Event.Linked(PEER, 1));
        assertEquals(2, bench.state.summary().total());
        assertFalse(bench.state.peers().containsKey(PEER));
        bench.pass(2_000 * MILLI).event(new Event.Linked(PEER, 1));
        assertTrue(bench.state.peers().containsKey(PEER), "a suspected peer makes room");
        bench.event(new Event.LinkLost(PEER, 1)).event(new Event.LinkLost(Nodes.agent(4), 1));
        bench.pass(62_000 * MILLI);
        assertEquals(0, bench.state.summary().total(), "a peer without a link is forgotten");
    }

    @Test
    void theSummaryCountsByStatus() {
        var bench = new Bench(HealthConfig.of(Preset.LAN));
        bench.event(new Event.Linked(Nodes.agent(3), 1)).linked();
        assertEquals(new HealthSummary(2, 1, 0, 0, 1), bench.state.summary());
        assertEquals(0.5, bench.state.summary().healthyShare());
    }

    /** Not after the first span: a peer that only paused answers on its old link. */
    @ParameterizedTest
    @MethodSource("presets")
    void aLinkThatIsSilentForTwoSpansIsReconnectedOnce(HealthConfig config) {
        var bench = new Bench(config).linked();
        bench.pass(2 * config.silenceNanos() - MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class));
        assertEquals(0, bench.count(Effect.Renew.class));
        bench.pass(2 * MILLI);
        assertEquals(1, bench.count(Effect.Renew.class));
        bench.pass(10 * config.silenceNanos());
        assertEquals(1, bench.count(Effect.Renew.class), "one link ends once");

        bench.event(new Event.LinkLost(PEER, 1)).event(new Event.Linked(PEER, 1));
        assertEquals(1, bench.count(Effect.Trusted.class));
        bench.pass(2 * config.silenceNanos() + MILLI);
        assertEquals(2, bench.count(Effect.Renew.class), "the new link may fail too");
    }

    @Test
    void aPeerThatIsHeardInTimeKeepsItsLink() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked();
        bench.pass(2 * bench.config.silenceNanos() - MILLI).event(new Event.Heard(PEER, 1));
        bench.pass(2 * bench.config.silenceNanos() - MILLI);
        assertEquals(0, bench.count(Effect.Renew.class));
        assertEquals(1, bench.count(Effect.Trusted.class));
    }

    @Test
    void aLateFrameStartsTheCountAgain() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked();
        bench.pass(2 * bench.config.silenceNanos() + MILLI).event(new Event.Heard(PEER, 1));
        assertEquals(HealthStatus.HEALTHY, bench.status());
        bench.pass(2 * bench.config.silenceNanos() + MILLI);
        assertEquals(2, bench.count(Effect.Renew.class));
    }

    /** Heartbeats of the peer, each with an echo that took {@code roundTripNanos}. */
    private static void echoes(Bench bench, int count, long roundTripNanos, long wishNanos) {
        for (int i = 0; i < count; i++) {
            bench.pass(250 * MILLI);
            var sent = (Effect.SendHeartbeat) bench.effects.stream()
                    .filter(Effect.SendHeartbeat.class::isInstance)
                    .reduce((_, last) -> last)
                    .orElseThrow();
            long since = bench.now
                    - Objects.requireNonNull(bench.state.peers().get(PEER)).beatNanos();
            long held = Math.max(0, since - roundTripNanos);
            bench.now += Math.max(0, roundTripNanos - since);
            bench.heard++;
            bench.event(new Event.HeartbeatHeard(
                    PEER, 1, new Beat(bench.heard, sent.beat().sequence(), held, wishNanos)));
        }
    }

    private static long silenceMillis(Bench bench) {
        return bench.state.silence().nanos() / MILLI;
    }

    @Test
    void aFarPeerLengthensTheSilenceOnceItIsMeasured() {
        var bench = new Bench(HealthConfig.byRoundTrips()).linked();
        echoes(bench, HealthConfig.Measured.DEFAULT.samplesMin() - 1, 20 * MILLI, 0);
        assertEquals(1_500, silenceMillis(bench));
        echoes(bench, 1, 20 * MILLI, 0);
        assertEquals(8_000, silenceMillis(bench));
        assertEquals(1, bench.count(Effect.SilenceChosen.class));
        bench.effects.clear();
        bench.pass(7_000 * MILLI);
        assertEquals(0, bench.count(Effect.Suspected.class), "in force at once");
        assertTrue(bench.effects.stream()
                .filter(Effect.SendHeartbeat.class::isInstance)
                .allMatch(effect -> ((Effect.SendHeartbeat) effect).beat().silenceNanos() == 8_000 * MILLI));
        bench.pass(4 * 8_000 * MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class));
    }

    @Test
    void withConfiguredSpansNothingMeasuredCounts() {
        var bench = new Bench(HealthConfig.of(Preset.WIFI)).linked();
        echoes(bench, 300, 200 * MILLI, 0);
        assertEquals(3_000, silenceMillis(bench));
    }

    @Test
    void theLongestWishOfThePeersThatAreHeardIsInForceUpToThatOfAWan() {
        var bench = new Bench(HealthConfig.of(Preset.LAN)).linked();
        echoes(bench, 1, MILLI, 3_000 * MILLI);
        assertEquals(3_000, silenceMillis(bench));
        assertEquals(Silence.Origin.OTHER_NODE, bench.state.silence().origin(1_500 * MILLI));
        echoes(bench, 1, MILLI, Long.MAX_VALUE);
        assertEquals(8_000, silenceMillis(bench), "no peer makes another one wait for longer");
        echoes(bench, 1, MILLI, 0);
        assertEquals(1_500, silenceMillis(bench));
        echoes(bench, 1, MILLI, 8_000 * MILLI);
        bench.event(new Event.LinkLost(PEER, 1)).pass(400 * MILLI);
        assertEquals(1_500, silenceMillis(bench), "a suspect has no say");
    }

    @Test
    void onlyMembersHaveASay() {
        var bench = new Bench(HealthConfig.byRoundTrips()).linked();
        bench.event(new Event.Members(Collections.emptySortedSet(), true));
        echoes(bench, 300, 20 * MILLI, 3_000 * MILLI);
        assertEquals(1_500, silenceMillis(bench));
        bench.event(new Event.Members(new TreeSet<>(List.of(PEER)), true));
        assertEquals(8_000, silenceMillis(bench), "its round trips are known when it enters");
    }

    // ---- nobody trains

    private static final HealthConfig.Idle IDLE = HealthConfig.Idle.DEFAULT;

    /** A member of a view without trainers; the peer says that it is idle too. */
    private static Bench idle() {
        return new Bench(HealthConfig.byRoundTrips())
                .linked()
                .event(new Event.Members(new TreeSet<>(List.of(PEER)), false));
    }

    private static List<Long> wishes(Bench bench) {
        return bench.effects.stream()
                .filter(Effect.SendHeartbeat.class::isInstance)
                .map(effect -> ((Effect.SendHeartbeat) effect).beat().silenceNanos() / MILLI)
                .toList();
    }

    @Test
    void heartbeatsAreRareWhileNobodyTrains() {
        var bench = idle();
        bench.effects.clear();
        for (int i = 1; i <= 100; i++) {
            bench.pass(IDLE.heartbeatNanos()).event(new Event.HeartbeatHeard(PEER, 1, beat(i, IDLE.silenceNanos())));
        }
        assertEquals(100, wishes(bench).size(), 1);
        assertEquals(HealthStatus.HEALTHY, bench.status());
        assertEquals(0, bench.peer().jitterNanos(), "the usual schedule does not apply");
        assertEquals(0, bench.count(Effect.Awoke.class));
        bench.pass(IDLE.silenceNanos() - MILLI);
        assertEquals(0, bench.count(Effect.Suspected.class));
        bench.pass(2 * MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class));
    }

    @Test
    void aRareHeartbeatIsAnsweredAtOnceAndTheOtherEndBeginsAgain() {
        var bench = idle();
        bench.effects.clear();
        bench.pass(IDLE.heartbeatNanos() * 3 / 4).event(new Event.HeartbeatHeard(PEER, 1, beat(1, 8_000 * MILLI)));
        assertEquals(1, wishes(bench).size(), "the answer");
        bench.pass(IDLE.heartbeatNanos() + 100 * MILLI);
        assertEquals(1, wishes(bench).size(), "the other end's turn");
        bench.event(new Event.HeartbeatHeard(PEER, 1, beat(2, 8_000 * MILLI)));
        assertEquals(2, wishes(bench).size());
        bench.event(new Event.HeartbeatHeard(PEER, 1, beat(3, 8_000 * MILLI)));
        assertEquals(2, wishes(bench).size(), "an answer is not answered");
        bench.pass(IDLE.heartbeatNanos() * 5 / 4 + MILLI);
        assertEquals(3, wishes(bench).size(), "if it falls silent, this node's own turn comes");
    }

    private static Beat beat(int sequence, long wishNanos) {
        return new Beat(sequence, 0, 0, wishNanos);
    }

    @Test
    void theWishIsToldWhenTrainingBeginsAndEnds() {
        var bench = idle();
        assertEquals(List.of(1_500L, 8_000L), wishes(bench));
        assertEquals(Silence.Origin.IDLE, bench.state.silence().origin(1_500 * MILLI));
        bench.event(new Event.HeartbeatHeard(PEER, 1, beat(1, 8_000 * MILLI))).pass(500 * MILLI);
        bench.effects.clear();
        bench.event(new Event.Members(new TreeSet<>(List.of(PEER)), true));
        assertEquals(List.of(1_500L), wishes(bench), "at once");
        assertEquals(8_000, silenceMillis(bench), "the peer does not know yet that somebody trains");
        bench.pass(3_000 * MILLI);
        assertEquals(0, bench.count(Effect.Suspected.class));
        bench.event(new Event.HeartbeatHeard(PEER, 1, beat(2, 1_500 * MILLI)));
        assertEquals(1_500, silenceMillis(bench));
        bench.effects.clear();
        bench.pass(1_000 * MILLI);
        assertEquals(4, wishes(bench).size());
        bench.pass(502 * MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class));
    }

    @Test
    void whileAMemberIsSilentTheOthersHearEachOtherAsUsual() {
        NodeId third = Nodes.agent(3);
        var bench = idle().event(new Event.Linked(third, 1));
        bench.event(new Event.Members(new TreeSet<>(List.of(PEER, third)), false));
        bench.event(new Event.HeartbeatHeard(PEER, 1, beat(1, 8_000 * MILLI)));
        bench.pass(3_000 * MILLI).event(new Event.HeartbeatHeard(PEER, 1, beat(2, 8_000 * MILLI)));
        bench.pass(1_001 * MILLI);
        bench.effects.clear();
        bench.pass(1_000 * MILLI);
        assertEquals(8, wishes(bench).size(), "four a second to each: the third member is silent for 4 s");
        bench.event(new Event.HeartbeatHeard(third, 1, beat(1, 8_000 * MILLI)));
        bench.effects.clear();
        bench.pass(1_000 * MILLI);
        assertEquals(0, wishes(bench).size(), "all are there again");
    }

    @Test
    void anIdleNodeTellsItsNewViewAtOnce() {
        var bench = idle().event(new Event.Linked(Nodes.agent(3), 1));
        bench.effects.clear();
        bench.event(new Event.Members(new TreeSet<>(List.of(PEER, Nodes.agent(3))), false));
        assertEquals(2, wishes(bench).size(), "both hear of the view");
        bench.event(new Event.Members(new TreeSet<>(List.of(PEER, Nodes.agent(3))), false));
        assertEquals(2, wishes(bench).size(), "no news");
    }

    /** A trainer that has just started is linked with agents that are idle, and no member of their view. */
    @Test
    void anIdlePeerThatIsNoMemberIsNotSuspectedBetweenItsHeartbeats() {
        var bench = new Bench(HealthConfig.byRoundTrips()).linked();
        bench.event(new Event.Members(Collections.emptySortedSet(), true));
        for (int i = 1; i <= 20; i++) {
            bench.event(new Event.HeartbeatHeard(PEER, 1, beat(i, 8_000 * MILLI)))
                    .pass(2_600 * MILLI);
        }
        assertEquals(0, bench.count(Effect.Suspected.class));
        assertEquals(1_500, silenceMillis(bench), "for members it is as before");
    }

    @Test
    void aPeerThatIsNoMemberGetsHeartbeatsAsUsual() {
        var bench = idle().event(new Event.Linked(Nodes.agent(3), 1));
        bench.effects.clear();
        bench.pass(1_000 * MILLI);
        assertEquals(4, wishes(bench).size());
    }

    @Test
    void aConfiguredSpanIsNotChangedByIdleness() {
        var bench = new Bench(HealthConfig.of(Preset.LAN))
                .linked()
                .event(new Event.Members(new TreeSet<>(List.of(PEER)), false));
        bench.pass(1_502 * MILLI);
        assertEquals(1, bench.count(Effect.Suspected.class));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new HealthConfig.Idle(4_000 * MILLI, 8_000 * MILLI, MILLI));
        assertThrows(IllegalArgumentException.class, () -> new HealthConfig.Idle(0, 8_000 * MILLI, MILLI));
    }
}
