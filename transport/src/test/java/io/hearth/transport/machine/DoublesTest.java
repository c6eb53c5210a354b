package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.Appearance;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.TestNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Evidence of two computers with one identity, and sequences that a single computer can cause. */
final class DoublesTest {
    private static final long MILLI = 1_000_000L;
    private static final PeerId MACHINE = NodeIdentity.generate().peer();
    private static final PeerId WITNESS = NodeIdentity.generate().peer();
    private static final Optional<Bytes> MONDAY = Optional.of(TestNode.bootId());
    private static final Optional<Bytes> TUESDAY = Optional.of(TestNode.bootId());
    private static final Optional<Bytes> UNKNOWN = Optional.empty();

    private static final Endpoint AGENT = start("agent", 5, MONDAY);
    private static final Endpoint AGENT_LATER = start("agent", 6, MONDAY);
    private static final Endpoint AGENT_AFTER_BOOT = start("agent", 6, TUESDAY);
    private static final Endpoint TRAINER = start("trainer-0", 3, MONDAY);
    private static final Endpoint TRAINER_ELSEWHERE = start("trainer-0", 3, TUESDAY);
    private static final Endpoint TRAINER_UNKNOWN = start("trainer-0", 3, UNKNOWN);

    private static final Endpoint TRAINER_LATER = start("trainer-0", 9, UNKNOWN);

    private static Endpoint start(String slot, long incarnation, Optional<Bytes> boot) {
        return new Endpoint(new NodeId(MACHINE, slot), incarnation, TestNode.bootId(), boot);
    }

    /** A hello or frame of a start, in milliseconds after the beginning. */
    private record Word(long atMillis, Endpoint from, boolean isHello) {}

    private static Word hello(long atMillis, Endpoint from) {
        return new Word(atMillis, from, true);
    }

    private static Word frame(long atMillis, Endpoint from) {
        return new Word(atMillis, from, false);
    }

    private record Story(String name, boolean isDoubled, List<Word> words) {
        Story(String name, boolean isDoubled, Word... words) {
            this(name, isDoubled, List.of(words));
        }
    }

    /** Plays a story. The link to another machine brings heartbeats all the time, unless this node itself is paused. */
    private static Doubles play(Story story, long startNanos) {
        var doubles = new Doubles(startNanos);
        var witness = new Endpoint(new NodeId(WITNESS, "agent"), 1, TestNode.bootId());
        doubles.hello(witness, "10.0.0.9", startNanos);
        long heard = 0;
        for (Word word : story.words()) {
            for (; !story.name().contains("pause") && heard < word.atMillis(); heard += 250) {
                doubles.frame(witness, startNanos + heard * MILLI);
            }
            long now = startNanos + word.atMillis() * MILLI;
            if (word.isHello()) {
                doubles.hello(word.from(), "10.0.0.1", now);
            } else {
                doubles.frame(word.from(), now);
            }
        }
        return doubles;
    }

    @TestFactory
    Stream<DynamicTest> stories() {
        return Stream.of(
                        new Story(
                                "two boots, both linked",
                                true,
                                hello(0, AGENT),
                                hello(100, TRAINER_ELSEWHERE),
                                frame(1_200, AGENT),
                                frame(1_200, TRAINER_ELSEWHERE)),
                        new Story(
                                "two boots in one slot, the older one refused again and again",
                                true,
                                hello(0, AGENT),
                                hello(100, AGENT_AFTER_BOOT),
                                hello(300, AGENT),
                                frame(1_200, AGENT_AFTER_BOOT),
                                hello(2_000, AGENT)),
                        new Story(
                                "two starts in one slot, boots unknown",
                                true,
                                hello(0, TRAINER_UNKNOWN),
                                hello(100, TRAINER_LATER),
                                hello(200, TRAINER_UNKNOWN),
                                frame(1_200, TRAINER_LATER),
                                hello(1_300, TRAINER_UNKNOWN)),
                        new Story(
                                "the copy comes after days",
                                true,
                                hello(0, AGENT),
                                frame(5_000_000, AGENT),
                                hello(5_000_100, AGENT_AFTER_BOOT),
                                frame(5_001_200, AGENT_AFTER_BOOT),
                                hello(5_060_000, AGENT)),
                        new Story(
                                "the computer boots",
                                false,
                                hello(0, AGENT),
                                frame(5_000, AGENT),
                                hello(20_000, AGENT_AFTER_BOOT),
                                frame(25_000, AGENT_AFTER_BOOT),
                                frame(90_000, AGENT_AFTER_BOOT)),
                        new Story(
                                "the computer boots, and its last frames were under way",
                                false,
                                hello(0, AGENT),
                                hello(20_000, AGENT_AFTER_BOOT),
                                frame(20_900, AGENT),
                                frame(25_000, AGENT_AFTER_BOOT)),
                        new Story(
                                "a process is restarted",
                                false,
                                hello(0, AGENT),
                                hello(2_000, AGENT_LATER),
                                frame(2_900, AGENT),
                                frame(9_000, AGENT_LATER)),
                        new Story(
                                "a process is restarted after the clock was set back and its number lost",
                                false,
                                hello(0, AGENT_LATER),
                                frame(1_900, AGENT_LATER),
                                hello(2_000, AGENT),
                                frame(9_000, AGENT)),
                        new Story(
                                "a process dials again and again",
                                false,
                                hello(0, AGENT),
                                hello(1, AGENT),
                                hello(5_000, AGENT),
                                frame(5_001, AGENT),
                                frame(9_000, AGENT)),
                        new Story(
                                "several processes of one computer",
                                false,
                                hello(0, AGENT),
                                hello(1_000, TRAINER),
                                hello(2_000, start("trainer-1", 3, MONDAY)),
                                frame(9_000, AGENT),
                                frame(9_000, TRAINER)),
                        new Story(
                                "one process does not know its boot",
                                false,
                                hello(0, AGENT),
                                hello(1_000, TRAINER_UNKNOWN),
                                frame(9_000, AGENT),
                                frame(9_000, TRAINER_UNKNOWN)),
                        new Story(
                                "a pause of this node, with old frames in its sockets",
                                false,
                                hello(0, AGENT),
                                frame(900, AGENT),
                                hello(1_500, AGENT_AFTER_BOOT),
                                frame(60_000, AGENT_AFTER_BOOT),
                                frame(60_001, AGENT),
                                frame(60_500, AGENT_AFTER_BOOT)))
                .map(story -> DynamicTest.dynamicTest(story.name(), () -> {
                    for (long start : new long[] {0, -77, Long.MAX_VALUE - 1_000 * MILLI}) { // the clock may wrap
                        Doubles doubles = play(story, start);
                        long end = start + story.words().getLast().atMillis() * MILLI;
                        assertEquals(
                                story.isDoubled() ? Set.of(MACHINE) : Set.of(),
                                doubles.all(end).keySet(),
                                story.name());
                    }
                }));
    }

    private static final Story TWO = new Story(
            "two boots",
            true,
            hello(0, AGENT),
            hello(100, AGENT_AFTER_BOOT),
            frame(1_200, AGENT_AFTER_BOOT),
            hello(1_200, AGENT));

    @Test
    void eachIsToldOfTheOther() {
        Doubles doubles = play(TWO, 0);
        var toOld = doubles.hello(AGENT, "10.0.0.3", 1_300 * MILLI).orElseThrow();
        assertEquals(
                new DoubledIdentity(
                        MACHINE,
                        new Appearance("agent", 5, MONDAY, "10.0.0.3"),
                        new Appearance("agent", 6, TUESDAY, "10.0.0.1")),
                toOld);
        var toNew = doubles.frame(AGENT_AFTER_BOOT, 1_400 * MILLI).orElseThrow();
        assertEquals(toOld.other(), toNew.one());
        assertEquals(toOld.one(), toNew.other());
        assertTrue(toOld.other().isForeignTo(AGENT) && !toOld.one().isForeignTo(AGENT));
    }

    @Test
    void aLinkedOneIsToldOnceInAWhileAndARefusedOneEachTime() {
        Doubles doubles = play(TWO, 0);
        int told = 0;
        for (long at = 1_250; at < 26_000; at += 250) {
            assertTrue(doubles.hello(AGENT, "10.0.0.1", at * MILLI).isPresent());
            told += doubles.frame(AGENT_AFTER_BOOT, at * MILLI).isPresent() ? 1 : 0;
        }
        assertEquals(3, told);
    }

    @Test
    void anIdentityIsItsOwnAgainWhenOneOfTheTwoIsAway() {
        Doubles doubles = play(TWO, 0);
        for (long at = 1_250; at <= 130_000; at += 250) {
            doubles.frame(AGENT_AFTER_BOOT, at * MILLI);
        }
        assertEquals(Set.of(), doubles.all(130_000 * MILLI).keySet());
    }

    @Test
    void whoIsStartedAgainIsNotToldOfADoubleThatIsGone() {
        Doubles doubles = play(TWO, 0);
        Endpoint again = start("agent", 7, MONDAY);
        doubles.hello(again, "10.0.0.1", 5_000 * MILLI);
        for (long at = 5_250; at <= 20_000; at += 250) {
            assertEquals(Optional.empty(), doubles.frame(again, at * MILLI), "at " + at);
        }
        assertEquals(Set.of(MACHINE), doubles.all(20_000 * MILLI).keySet(), "the others wait for a while");
        doubles.hello(AGENT_AFTER_BOOT, "10.0.0.2", 20_100 * MILLI);
        assertTrue(doubles.frame(again, 20_200 * MILLI).isPresent(), "the other one is there after all");
    }

    @Test
    void memoryIsBounded() {
        var doubles = new Doubles(0);
        for (int i = 0; i < 10 * Doubles.STARTS_MAX; i++) {
            doubles.hello(start("agent", i, MONDAY), "10.0.0.1", i);
        }
        for (int i = 0; i < 3 * Doubles.MACHINES_MAX; i++) {
            byte[] key = new byte[PeerId.KEY_BYTES];
            key[0] = (byte) i;
            key[1] = (byte) (i >> 8);
            doubles.hello(
                    new Endpoint(new NodeId(PeerId.of(key), "agent"), 1, TestNode.bootId()), "10.0.0.1", 1_000 + i);
        }
        assertEquals(Doubles.MACHINES_MAX, doubles.machines());
        assertEquals(Optional.empty(), doubles.frame(AGENT, 10_000), "it gave way");
    }
}
