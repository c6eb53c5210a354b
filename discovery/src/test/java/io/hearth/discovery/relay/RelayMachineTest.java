package io.hearth.discovery.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Step;
import io.hearth.discovery.relay.RelayMachine.Effect;
import io.hearth.discovery.relay.RelayMachine.Event;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RelayMachineTest {
    private static final long MILLI = 1_000_000L;
    private static final NodeId SELF = node(2);
    private static final NodeId ANNA = node(1);
    private static final NodeId BERT = node(3);
    private static final NodeId CARL = node(4);

    private final RelayMachine machine = new RelayMachine(SELF);
    private RelayMachine.State state = RelayMachine.State.EMPTY;
    private long now = Long.MAX_VALUE - 1_000 * MILLI; // overflows on the way

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) number);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    private List<Effect> happens(Event event) {
        Step<RelayMachine.State, Effect> step = machine.step(state, event, now);
        state = step.state();
        return step.effects();
    }

    private void wants(NodeId... nodes) {
        assertEquals(List.of(), happens(new Event.Wanted(new TreeSet<>(List.of(nodes)))));
    }

    private void links(NodeId... nodes) {
        for (NodeId node : nodes) {
            happens(new Event.Linked(node, false));
        }
    }

    private static Effect through(NodeId via, NodeId target) {
        return new Effect.Dial(via, target, false);
    }

    /** Lets the time pass; returns the milliseconds of each dial with its relay. */
    private List<String> dialsWithin(long millis) {
        var dials = new ArrayList<String>();
        long end = now + millis * MILLI;
        long start = now;
        while (true) {
            long sleep = machine.sleepNanos(state, now);
            if (sleep > end - now) {
                now = end;
                return dials;
            }
            now += sleep;
            for (Effect effect : happens(new Event.Tick())) {
                var dial = (Effect.Dial) effect;
                dials.add((now - start) / MILLI + ":" + (dial.via().equals(ANNA) ? "anna" : "bert") + ">"
                        + (dial.target().equals(CARL) ? "carl" : "bert"));
            }
        }
    }

    @Test
    void aLostMemberIsReachedThroughOthersInTurnsWithLongerAndLongerPauses() {
        links(ANNA, BERT, CARL);
        wants(SELF, ANNA, BERT, CARL);
        assertEquals(List.of(), dialsWithin(60_000));
        assertEquals(List.of(), happens(new Event.Lost(CARL)));
        assertEquals(
                List.of("250:anna>carl", "750:bert>carl", "1250:anna>carl", "2250:bert>carl", "3250:anna>carl"),
                dialsWithin(5_000));
    }

    @Test
    void theLargerIdTriesLater() {
        links(ANNA, BERT);
        wants(ANNA, BERT);
        happens(new Event.Lost(ANNA));
        now += 649 * MILLI;
        assertEquals(List.of(), happens(new Event.Tick()));
        now += MILLI;
        assertEquals(List.of(through(BERT, ANNA)), happens(new Event.Tick()));
    }

    @Test
    void aMemberThatWasNeverLinkedGetsTimeForADirectDial() {
        links(ANNA);
        wants(ANNA, CARL);
        assertEquals(List.of("2500:anna>carl", "3000:anna>carl"), dialsWithin(3_500));
    }

    @Test
    void aRefusalIsFollowedByTheNextHelperAtOnceAndAllRefusalsByThePause() {
        links(ANNA, BERT, CARL);
        wants(ANNA, BERT, CARL);
        happens(new Event.Lost(CARL));
        now += 250 * MILLI;
        assertEquals(List.of(through(ANNA, CARL)), happens(new Event.Tick()));
        assertEquals(List.of(), happens(new Event.Failed(ANNA, CARL)));
        assertEquals(List.of("20:bert>carl"), dialsWithin(100));
        assertEquals(List.of(), happens(new Event.Failed(BERT, CARL)));
        assertEquals(List.of("420:anna>carl"), dialsWithin(450));
    }

    @Test
    void anyLinkEndsTheTriesAndARelayedNodeIsNoHelper() {
        links(ANNA, BERT, CARL);
        wants(ANNA, BERT, CARL);
        happens(new Event.Lost(CARL));
        happens(new Event.Linked(CARL, true));
        assertEquals(List.of(), dialsWithin(60_000));
        happens(new Event.Lost(ANNA));
        happens(new Event.Lost(BERT));
        assertEquals(List.of(), dialsWithin(60_000), "only a relayed link is left");
        assertEquals(List.of(through(BERT, ANNA)), happens(new Event.Linked(BERT, false)));
    }

    @Test
    void aNodeThatIsNoLongerAMemberIsForgotten() {
        links(ANNA, BERT);
        wants(ANNA, BERT);
        happens(new Event.Lost(BERT));
        wants(ANNA);
        assertEquals(List.of(), dialsWithin(60_000));
        assertTrue(state.missing().isEmpty());
    }

    @Test
    void thePausesEndAtAMinute() {
        links(ANNA);
        wants(ANNA, CARL);
        dialsWithin(600_000);
        assertEquals(2, dialsWithin(120_000).size());
    }

    @Test
    void aSilentLinkIsReplacedBeforeItsNodeIsSuspected() {
        links(ANNA, BERT, CARL);
        wants(ANNA, BERT, CARL);
        assertEquals(List.of(), happens(new Event.Silent(CARL)));
        now += 149 * MILLI;
        assertEquals(List.of(), happens(new Event.Tick()));
        now += MILLI;
        assertEquals(List.of(new Effect.Dial(ANNA, CARL, true)), happens(new Event.Tick()));
        assertEquals(List.of("500:bert>carl"), dialsWithin(600));
        happens(new Event.Lost(CARL));
        happens(new Event.Linked(CARL, true));
        assertTrue(state.isRelayed(CARL));
        assertEquals(List.of(), dialsWithin(60_000));
    }

    @Test
    void aSilentNodeIsNoHelperAndNeedsNoneWhenItIsHeardAgain() {
        links(ANNA, BERT);
        wants(ANNA, BERT);
        happens(new Event.Silent(ANNA));
        happens(new Event.Silent(BERT));
        assertEquals(List.of(), dialsWithin(5_000), "both are silent: this node's own cable");
        assertEquals(List.of(new Effect.Dial(BERT, ANNA, true)), happens(new Event.Heard(BERT)));
        happens(new Event.Heard(ANNA));
        assertEquals(List.of(), dialsWithin(60_000));
    }

    @Test
    void aRelayThatFallsSilentIsReplacedByAnother() {
        links(ANNA, BERT);
        wants(ANNA, BERT, CARL);
        happens(new Event.Linked(CARL, true)); // through ANNA
        happens(new Event.Silent(ANNA));
        happens(new Event.Silent(CARL));
        now += 150 * MILLI;
        assertEquals(List.of(new Effect.Dial(BERT, CARL, true)), happens(new Event.Tick()));
    }

    @Test
    void aSilentLinkOfANodeThatIsNoMemberIsLeftAlone() {
        links(ANNA, CARL);
        wants(ANNA);
        happens(new Event.Silent(CARL));
        assertEquals(List.of(), dialsWithin(60_000));
    }

    @Test
    void aReportedNodeIsReachedAsAMemberIsUntilNoReportIsRepeated() {
        links(ANNA);
        wants(SELF);
        happens(new Event.Reported(SELF));
        assertEquals(List.of(), happens(new Event.Reported(CARL)));
        assertEquals(List.of("2500:anna>carl"), dialsWithin(2_900));
        happens(new Event.Linked(CARL, true));
        happens(new Event.Reported(CARL));
        happens(new Event.Lost(CARL));
        assertEquals(List.of("250:anna>carl"), dialsWithin(700));
        now += 60_000 * MILLI;
        happens(new Event.Reported(CARL));
        now += 119_999 * MILLI;
        happens(new Event.Tick());
        assertTrue(state.missing().containsKey(CARL));
        now += MILLI;
        assertEquals(List.of(), happens(new Event.Tick()));
        assertTrue(state.missing().isEmpty());
    }

    @Test
    void onlySoManyReportedNodesAreKept() {
        for (int number = 10; number < 10 + 2 * RelayMachine.REPORTED_MAX; number++) {
            happens(new Event.Reported(node(number)));
        }
        assertEquals(RelayMachine.REPORTED_MAX, state.reported().size());
        now += MILLI;
        happens(new Event.Reported(node(10)));
        assertEquals(now, state.reported().get(node(10)), "a known one is renewed");
    }
}
