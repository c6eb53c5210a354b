package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.topology.Nodes;
import io.hearth.topology.bandwidth.BandwidthMachine.Effect;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.bandwidth.BandwidthMachine.Limits;
import io.hearth.topology.bandwidth.BandwidthMachine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BandwidthMachineTest {
    private static final long SECOND = 1_000_000_000;
    private static final NodeId SMALL = Nodes.node(0);
    private static final NodeId MIDDLE = Nodes.node(1);
    private static final NodeId LARGE = Nodes.node(2);
    private static final NodeId LARGEST = Nodes.node(3);
    private static final Bandwidth RATE = new Bandwidth(100, 200);

    /** Until a doubtful rate is measured again. */
    private static final long SOON = Limits.DEFAULTS.refreshNanos() / 16;

    /** May spend 3 s at once. */
    private static final Limits SPARING =
            new Limits(600 * SECOND, 2 * SECOND, 5 * SECOND, SECOND, SECOND / 2, 0.01, 3 * SECOND, 9);

    /** A machine with its state and the effects of its last step. */
    private static final class Node {
        final BandwidthMachine machine;
        State state;
        long now;
        List<Effect> effects = List.of();

        Node(NodeId self) {
            this(self, Limits.DEFAULTS);
        }

        Node(NodeId self, Limits limits) {
            machine = new BandwidthMachine(self, limits);
            state = machine.start(0);
        }

        Node at(long nanos) {
            now = nanos;
            return this;
        }

        List<Effect> step(Event event) {
            Step<State, Effect> step = machine.step(state, event, now);
            state = step.state();
            effects = step.effects();
            return effects;
        }

        List<Effect> linked(NodeId peer) {
            return step(new Event.Linked(peer, Long.MAX_VALUE));
        }

        List<Effect> heard(NodeId peer, BandwidthMessage.Type type, long number) {
            return step(new Event.Heard(peer, new BandwidthMessage(type, number)));
        }
    }

    private static Effect say(NodeId peer, BandwidthMessage.Type type, long number) {
        return new Effect.Say(peer, new BandwidthMessage(type, number));
    }

    @Test
    void theSmallerNodeAsksAndRunsOnceTheOtherAccepts() {
        var node = new Node(SMALL);
        assertEquals(List.of(say(MIDDLE, BandwidthMessage.Type.ASK, 0)), node.linked(MIDDLE));
        assertEquals(List.of(new Effect.Run(MIDDLE, 0, true)), node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, 0));
        node.at(SECOND / 10);
        assertEquals(
                List.of(new Effect.Measured(MIDDLE, RATE)), node.step(new Event.Ended(MIDDLE, 0, Optional.of(RATE))));
    }

    @Test
    void theLargerNodeWaitsToBeAsked() {
        var node = new Node(LARGE);
        assertEquals(List.of(), node.linked(SMALL));
        assertEquals(Long.MAX_VALUE, node.machine.sleepNanos(node.state, 0));
        assertEquals(
                List.of(say(SMALL, BandwidthMessage.Type.ACCEPT, 7), new Effect.Run(SMALL, 7, false)),
                node.heard(SMALL, BandwidthMessage.Type.ASK, 7));
    }

    @Test
    void aNodeTakesPartInOneMeasurementAtATime() {
        var node = new Node(MIDDLE);
        node.linked(SMALL);
        node.heard(SMALL, BandwidthMessage.Type.ASK, 1);
        assertEquals(List.of(), node.linked(LARGE));
        assertEquals(
                List.of(say(LARGE, BandwidthMessage.Type.DECLINE, 2)), node.heard(LARGE, BandwidthMessage.Type.ASK, 2));
    }

    @Test
    void noMeasurementBeginsWhileCollectivesRun() {
        var node = new Node(SMALL);
        node.step(new Event.Busy(true));
        assertEquals(List.of(), node.linked(MIDDLE));
        assertEquals(
                List.of(say(MIDDLE, BandwidthMessage.Type.DECLINE, 4)),
                node.heard(MIDDLE, BandwidthMessage.Type.ASK, 4));
        assertEquals(List.of(say(MIDDLE, BandwidthMessage.Type.ASK, 0)), node.step(new Event.Busy(false)));
    }

    @Test
    void aCollectiveStopsTheMeasurementThatRuns() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, 0);
        assertEquals(List.of(new Effect.Stop(MIDDLE, 0)), node.step(new Event.Busy(true)));
        assertEquals(List.of(), node.step(new Event.Ended(MIDDLE, 0, Optional.of(RATE)))); // too late to count
    }

    @Test
    void aDeclinedMeasurementIsAskedAgainAfterAPause() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        assertEquals(List.of(), node.heard(MIDDLE, BandwidthMessage.Type.DECLINE, 0));
        long sleep = node.machine.sleepNanos(node.state, 0);
        assertTrue(sleep >= SECOND / 2 && sleep <= SECOND, () -> "sleeps " + sleep);
        assertEquals(
                List.of(say(MIDDLE, BandwidthMessage.Type.ASK, 1)),
                node.at(sleep).step(new Event.Tick()));
    }

    @Test
    void anAnswerToAnEarlierQuestionDoesNotCount() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        node.heard(MIDDLE, BandwidthMessage.Type.DECLINE, 0);
        node.at(2 * SECOND).step(new Event.Tick());
        assertEquals(List.of(), node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, 0));
        assertEquals(List.of(), node.heard(LARGE, BandwidthMessage.Type.ACCEPT, 1));
        assertEquals(List.of(new Effect.Run(MIDDLE, 1, true)), node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, 1));
    }

    @Test
    void aPeerThatNeverAnswersIsAskedMoreAndMoreRarely() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        var asked = new ArrayList<Long>();
        while (node.now < 3_600 * SECOND) {
            long sleep = node.machine.sleepNanos(node.state, node.now);
            if (node.at(node.now + Math.max(1, sleep)).step(new Event.Tick()).stream()
                    .anyMatch(Effect.Say.class::isInstance)) {
                asked.add(node.now);
            }
        }
        assertTrue(asked.size() <= 20, () -> "asked " + asked.size() + " times in an hour");
        assertTrue(asked.size() >= 10, () -> "asked " + asked.size() + " times in an hour");
    }

    @Test
    void aMeasurementThatLastsTooLongIsStopped() {
        var node = new Node(LARGE);
        node.linked(SMALL);
        node.heard(SMALL, BandwidthMessage.Type.ASK, 1);
        node.at(Limits.DEFAULTS.lastsNanosMax());
        assertEquals(List.of(new Effect.Stop(SMALL, 1)), node.step(new Event.Tick()));
    }

    @Test
    void aLinkThatEndsEndsItsMeasurement() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, 0);
        assertEquals(List.of(new Effect.Stop(MIDDLE, 0)), node.step(new Event.Unlinked(MIDDLE)));
        assertEquals(List.of(), node.heard(MIDDLE, BandwidthMessage.Type.ASK, 5));
    }

    @Test
    void aRememberedRateIsMeasuredAgainWhenItIsOld() {
        var node = new Node(SMALL);
        long left = 60 * SECOND;
        node.step(new Event.Linked(MIDDLE, Limits.DEFAULTS.refreshNanos() - left));
        assertEquals(left, node.machine.sleepNanos(node.state, 0));
        assertEquals(
                List.of(say(MIDDLE, BandwidthMessage.Type.ASK, 0)),
                node.at(left).step(new Event.Tick()));
    }

    @Test
    void aRateThatCollectivesShowIsMeasuredAgainSoon() {
        var node = new Node(SMALL);
        node.step(new Event.Linked(MIDDLE, 0));
        node.at(100 * SECOND).step(new Event.Observed(MIDDLE, OptionalLong.of(9), OptionalLong.empty()));
        assertEquals(SOON, node.machine.sleepNanos(node.state, node.now));
    }

    @Test
    void aDoubtfulRateIsMeasuredAgainSoonAndAFurtherDoubtDelaysNothing() {
        var node = new Node(SMALL);
        node.step(new Event.Linked(MIDDLE, 0));
        node.at(100 * SECOND).step(new Event.Doubted(MIDDLE));
        assertEquals(SOON, node.machine.sleepNanos(node.state, node.now));
        node.at(110 * SECOND).step(new Event.Doubted(MIDDLE));
        assertEquals(SOON - 10 * SECOND, node.machine.sleepNanos(node.state, node.now));
        assertEquals(
                List.of(say(MIDDLE, BandwidthMessage.Type.ASK, 0)),
                node.at(100 * SECOND + SOON).step(new Event.Tick()));
        assertEquals(List.of(), node.step(new Event.Doubted(LARGE)));
    }

    @Test
    void whatCollectivesShowReplacesTheEstimateAtOnce() {
        var node = new Node(LARGE);
        node.linked(SMALL);
        node.heard(SMALL, BandwidthMessage.Type.ASK, 0);
        node.step(new Event.Ended(SMALL, 0, Optional.of(RATE)));
        assertEquals(
                List.of(new Effect.Seen(SMALL, OptionalLong.of(9), OptionalLong.empty())),
                node.step(new Event.Observed(SMALL, OptionalLong.of(9), OptionalLong.empty())));
        var peer = Objects.requireNonNull(node.state.peers().get(SMALL));
        assertEquals(OptionalLong.of(9), peer.out().rate());
        assertEquals(OptionalLong.of(RATE.inBytesPerSecond()), peer.in().rate());
        assertEquals(List.of(), node.step(new Event.Observed(MIDDLE, OptionalLong.of(9), OptionalLong.empty())));
    }

    @Test
    void measurementsWaitWhenTheirShareOfTimeIsSpent() {
        var node = new Node(SMALL, SPARING);
        node.linked(MIDDLE);
        for (int number = 0; number < 4; number++) { // 1 s is spent each time
            node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, number);
            node.step(new Event.Began(MIDDLE, number));
            node.at(node.now + SECOND).step(new Event.Ended(MIDDLE, number, Optional.of(RATE)));
            if (number < 3) {
                assertEquals(List.of(say(MIDDLE, BandwidthMessage.Type.ASK, number + 1)), node.linked(MIDDLE));
            }
        }
        assertEquals(List.of(), node.linked(MIDDLE));
        assertEquals(
                List.of(say(MIDDLE, BandwidthMessage.Type.DECLINE, 9)),
                node.heard(MIDDLE, BandwidthMessage.Type.ASK, 9));
        long sleep = node.machine.sleepNanos(node.state, node.now);
        assertTrue(sleep >= 95 * SECOND && sleep <= 101 * SECOND, () -> "sleeps " + sleep / SECOND + " s");
        assertEquals(
                List.of(say(MIDDLE, BandwidthMessage.Type.ASK, 4)),
                node.at(node.now + sleep).step(new Event.Tick()));
    }

    @Test
    void linksWithoutARateComeFirst() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        measureForASecond(node, MIDDLE, 0);
        node.step(new Event.Busy(true));
        node.at(node.now + 2 * SECOND).step(new Event.Linked(LARGE, Long.MAX_VALUE)); // MIDDLE is due the longest
        assertEquals(List.of(say(LARGE, BandwidthMessage.Type.ASK, 1)), node.step(new Event.Busy(false)));
    }

    @ParameterizedTest
    @CsvSource({"true, 50", "false, 0"}) // one second of three is left; the first leaves half of them, and earns 1 %
    void aSecondMeasurementLeavesHalfToLinksWithoutARateOrAQuarterToPeersToCome(boolean isOneUnknown, double seconds) {
        var node = new Node(MIDDLE, SPARING);
        if (isOneUnknown) {
            node.linked(SMALL); // which never asks
        }
        node.linked(LARGE);
        measureForASecond(node, LARGE, 0);
        node.step(new Event.Busy(true));
        node.linked(LARGEST);
        node.step(new Event.Busy(false));
        measureForASecond(node, LARGEST, 1);
        long now = node.now;
        while (node.state.active().isEmpty()) {
            node.at(node.now + node.machine.sleepNanos(node.state, node.now)).step(new Event.Tick());
        }
        assertEquals(seconds, (double) (node.now - now) / SECOND, 6);
    }

    private static void measureForASecond(Node node, NodeId peer, long number) {
        node.heard(peer, BandwidthMessage.Type.ACCEPT, number);
        node.step(new Event.Began(peer, number));
        node.at(node.now + SECOND);
        node.step(new Event.Ended(peer, number, Optional.of(RATE)));
        assertTrue(node.effects.contains(new Effect.Measured(peer, RATE)));
    }

    @Test
    void onlyTheTimeInWhichBytesMoveIsSpent() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        for (int number = 0; number < 9; number++) { // a second for each stream that opens, and a tenth for its bytes
            node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, number);
            node.step(new Event.Began(MIDDLE, number + 1)); // of another measurement: no byte of this one moves yet
            node.step(new Event.Began(LARGE, number)); // with another peer, likewise
            node.at(node.now + SECOND).step(new Event.Began(MIDDLE, number));
            node.at(node.now + SECOND / 10);
            node.step(new Event.Busy(true));
            node.step(new Event.Busy(false));
            assertEquals(List.of(say(MIDDLE, BandwidthMessage.Type.ASK, number + 1)), node.linked(MIDDLE));
        }
        long left = Limits.DEFAULTS.burstNanos() - 9 * SECOND / 10;
        assertTrue(Math.abs(node.state.budgetNanos() - left) < SECOND / 5, () -> "left: " + node.state.budgetNanos());
    }

    @Test
    void aNewLinkIsMeasuredThreeTimesSoon() {
        measuredSoon(new long[] {40, 100, 90}, new long[] {40, 100, 99});
    }

    @Test
    void aLinkWhoseRateRisesIsMeasuredAgainSoon() {
        measuredSoon(new long[] {40, 60, 90, 150, 160}, new long[] {40, 60, 90, 150, 160});
    }

    private static void measuredSoon(long[] rates, long[] estimates) {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        for (int number = 0; number < rates.length; number++) {
            node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, number);
            var estimate = new Bandwidth(estimates[number], estimates[number]);
            assertEquals(
                    List.of(new Effect.Measured(MIDDLE, estimate)),
                    node.step(
                            new Event.Ended(MIDDLE, number, Optional.of(new Bandwidth(rates[number], rates[number])))));
            long sleep = node.machine.sleepNanos(node.state, node.now);
            if (number < rates.length - 1) {
                assertTrue(sleep >= SECOND / 2 && sleep < 3 * SECOND, () -> "sleeps " + sleep);
            } else {
                assertEquals(Limits.DEFAULTS.refreshNanos(), sleep);
            }
            node.at(node.now + sleep).step(new Event.Tick());
        }
    }

    /** A tenth of the port's rate takes a tenth of its time. */
    @Test
    void aSlowLinkTakesAPartOfItsPort() {
        var node = new Node(LARGE);
        node.linked(SMALL);
        node.linked(MIDDLE);
        assertEquals(1.0 * SECOND, spent(node, SMALL, 1_000), SECOND / 50.0);
        assertEquals(SECOND / 10.0, spent(node, MIDDLE, 100), SECOND / 50.0);
    }

    /** What a measurement of a second takes from the budget, less what the second earns. */
    private static double spent(Node node, NodeId peer, long rate) {
        node.heard(peer, BandwidthMessage.Type.ASK, rate);
        node.step(new Event.Began(peer, rate));
        long before = node.state.budgetNanos();
        node.at(node.now + SECOND);
        node.step(new Event.Ended(peer, rate, Optional.of(new Bandwidth(rate, rate))));
        return (double) (before - node.state.budgetNanos());
    }

    @Test
    void aDoubtfulRateWaitsForAPartOfARefresh() {
        var node = new Node(SMALL);
        node.linked(MIDDLE);
        for (int number = 0; number < 4; number++) {
            node.heard(MIDDLE, BandwidthMessage.Type.ACCEPT, number);
            long rate = number < 3 ? 100 : 10;
            node.step(new Event.Ended(MIDDLE, number, Optional.of(new Bandwidth(rate, rate))));
            if (number < 3) {
                node.at(node.now + node.machine.sleepNanos(node.state, node.now))
                        .step(new Event.Tick());
            }
        }
        assertEquals(Limits.DEFAULTS.refreshNanos() / 16, node.machine.sleepNanos(node.state, node.now));
    }

    @Test
    void aMuchLowerRateCountsOnceItIsConfirmed() {
        var node = new Node(LARGE);
        node.linked(SMALL);
        for (int number = 0; number < 3; number++) {
            node.heard(SMALL, BandwidthMessage.Type.ASK, number);
            node.step(new Event.Ended(SMALL, number, Optional.of(RATE)));
        }
        node.heard(SMALL, BandwidthMessage.Type.ASK, 3);
        assertEquals(
                List.of(new Effect.Measured(SMALL, RATE)),
                node.step(new Event.Ended(SMALL, 3, Optional.of(new Bandwidth(10, 20)))));
        assertTrue(Objects.requireNonNull(node.state.peers().get(SMALL)).out().isDoubtful());
        node.heard(SMALL, BandwidthMessage.Type.ASK, 4);
        assertEquals(
                List.of(new Effect.Measured(SMALL, new Bandwidth(11, 20))),
                node.step(new Event.Ended(SMALL, 4, Optional.of(new Bandwidth(11, 19)))));
    }

    @Test
    void theNumberOfPeersHasABound() {
        var machine = new BandwidthMachine(SMALL, new Limits(2, 1, 1, 1, 1, 0.5, 1, 1));
        State state =
                machine.step(machine.start(0), new Event.Linked(MIDDLE, 0), 0).state();
        state = machine.step(state, new Event.Linked(LARGE, 0), 0).state();
        assertEquals(1, state.peers().size());
    }

    @Test
    void messagesThatAreNoneAreRejected() throws MalformedMessageException {
        var message = new BandwidthMessage(BandwidthMessage.Type.DECLINE, 1L << 40);
        byte[] bytes = message.encode();
        assertEquals(message, BandwidthMessage.decode(bytes));
        assertThrows(MalformedMessageException.class, () -> BandwidthMessage.decode(new byte[8]));
        bytes[0] = 3;
        assertThrows(MalformedMessageException.class, () -> BandwidthMessage.decode(bytes));
        bytes[0] = 0;
        bytes[8] = (byte) 0x80;
        assertThrows(MalformedMessageException.class, () -> BandwidthMessage.decode(bytes));
    }
}
