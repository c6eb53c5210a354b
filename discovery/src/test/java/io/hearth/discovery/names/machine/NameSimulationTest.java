package io.hearth.discovery.names.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.names.machine.NameMachine.Effect;
import io.hearth.discovery.names.machine.NameMachine.Event;
import io.hearth.discovery.names.machine.NameQuestion.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names, late and wrong answers, and times with and without DNS, all from a seed. */
final class NameSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long END = 3_600 * SECOND;

    private record Coming(long atNanos, long order, Event event) {}

    static LongStream seeds() {
        String one = System.getProperty("hearth.seed", "");
        return one.isEmpty() ? LongStream.range(0, 200) : LongStream.of(Long.parseLong(one));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyNameIsAskedAtItsPaceAndEveryAddressIsReported(long seed) {
        new World(seed).run();
    }

    private static final class World {
        private final SplittableRandom random;
        private final String replay;
        private final NameMachine machine = new NameMachine(NameLimits.DEFAULT);
        private final PriorityQueue<Coming> coming =
                new PriorityQueue<>(Comparator.comparingLong(Coming::atNanos).thenComparingLong(Coming::order));
        private final TreeMap<Integer, NameQuestion> open = new TreeMap<>();
        private final TreeMap<Integer, Long> roundEnded = new TreeMap<>();
        private final TreeMap<Integer, List<PeerAddress>> known = new TreeMap<>();
        private final List<String> names = List.of("nas:7", "dns:all.org", "srv:_hearth._tcp.org", "k8s:trainers");
        private NameTable table;
        private long now;
        private long order;
        private boolean isUp = true;

        World(long seed) {
            random = new SplittableRandom(seed);
            replay = "replay with -Dhearth.seed=" + seed;
            var settings = new ResolverSettings(
                    List.of(new PeerAddress("10.0.0.53", 53)),
                    random.nextBoolean() ? List.of() : List.of("ml.svc.lan", "svc.lan"),
                    random.nextInt(6),
                    random.nextBoolean() ? Optional.empty() : Optional.of("ml"));
            table = NameTable.of(names.stream().map(PeerName::parse).toList(), settings, 0);
        }

        void run() {
            long events = 0;
            while (now < END) {
                assertTrue(events++ < 200_000, replay);
                if (random.nextInt(200) == 0) {
                    isUp = !isUp;
                }
                long sleep = machine.sleepNanos(table, now);
                Coming next = coming.peek();
                if (next != null && next.atNanos() - now <= sleep) {
                    coming.remove();
                    now = next.atNanos();
                    happens(next.event());
                } else {
                    assertTrue(sleep < Long.MAX_VALUE, () -> "all names sleep for ever; " + replay);
                    now += sleep;
                    happens(new Event.Tick());
                }
            }
            assertTrue(events > 100, replay);
            assertEquals(names.size(), table.entries().size());
            settle();
        }

        /** With DNS up and quick, each name has the addresses of its latest answer. */
        private void settle() {
            isUp = true;
            long until = now + 400 * SECOND;
            while (now < until) {
                long sleep = machine.sleepNanos(table, now);
                Coming next = coming.peek();
                if (next != null && next.atNanos() - now <= sleep) {
                    coming.remove();
                    now = next.atNanos();
                    happens(next.event());
                } else {
                    now += Math.min(sleep, SECOND);
                    happens(new Event.Tick());
                }
            }
            for (int i = 0; i < names.size(); i++) {
                NameTable.Entry entry = table.entries().get(i);
                assertFalse(entry.known().isEmpty(), () -> entry + "; " + replay);
                assertEquals(entry.known(), known.get(i), replay);
                assertEquals(entry.known().size(), entry.report().addresses(), replay);
            }
        }

        private void happens(Event event) {
            if (event instanceof Event.Answered(int entry, var question, var _) && question.equals(open.get(entry))) {
                open.remove(entry);
            }
            var step = machine.step(table, event, now);
            table = step.state();
            for (Effect effect : step.effects()) {
                switch (effect) {
                    case Effect.Ask(int entry, var question) -> asks(entry, question);
                    case Effect.Sight(var name, var addresses) -> {
                        int entry = names.indexOf(name.toString());
                        assertFalse(addresses.isEmpty() || addresses.size() > 256, replay);
                        assertEquals(addresses.stream().distinct().toList(), addresses, replay);
                        known.put(entry, addresses);
                    }
                    case Effect.Report(int entry, var report) ->
                        assertEquals(
                                table.entries().get(entry).report(), lastOf(step.effects(), entry, report), replay);
                }
            }
            for (int entry = 0; entry < names.size(); entry++) {
                if (!open.containsKey(entry)) {
                    roundEnded.putIfAbsent(entry, now);
                }
            }
        }

        private static NameReport lastOf(List<Effect> effects, int entry, NameReport otherwise) {
            NameReport last = otherwise;
            for (Effect effect : effects) {
                if (effect instanceof Effect.Report(int number, var report) && number == entry) {
                    last = report;
                }
            }
            return last;
        }

        private void asks(int entry, NameQuestion question) {
            assertFalse(open.containsKey(entry), () -> "two questions of " + names.get(entry) + " at once; " + replay);
            Long ended = roundEnded.remove(entry);
            if (ended != null && now > 0 && now != ended) {
                long pause = now - ended;
                assertTrue(pause >= SECOND && pause <= 300 * SECOND, () -> "pause of " + pause + " ns; " + replay);
            }
            assertTrue(question.name().length() <= 253, replay);
            open.put(entry, question);
            long delay = isUp ? random.nextLong(SECOND / 10) : random.nextLong(12 * SECOND);
            var answer = new Event.Answered(entry, question, answer(question));
            coming.add(new Coming(now + delay, order++, answer));
            if (random.nextInt(20) == 0) { // a late answer to some earlier question
                coming.add(new Coming(
                        now + random.nextLong(60 * SECOND),
                        order++,
                        new Event.Answered(
                                random.nextInt(-1, 6),
                                new NameQuestion("x" + random.nextInt(3), Kind.HOST),
                                new NameAnswer.Addresses(List.of("10.9.9.9"), OptionalLong.empty()))));
            }
        }

        private NameAnswer answer(NameQuestion question) {
            if (!isUp) {
                return random.nextBoolean()
                        ? new NameAnswer.Failed("no answer")
                        : new NameAnswer.Absent("no such name");
            }
            if (question.kind() == Kind.SERVICE && !question.name().contains("trainers")) {
                var locations = new ArrayList<NameAnswer.Location>();
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    locations.add(new NameAnswer.Location(
                            random.nextInt(3),
                            random.nextInt(3),
                            random.nextInt(1, 65_536),
                            "t" + i + ".org",
                            random.nextBoolean() ? List.of() : List.of("10.3.0." + i)));
                }
                return new NameAnswer.Services(locations, OptionalLong.of(random.nextLong(1_000)));
            }
            if (question.kind() == Kind.SERVICE) {
                return new NameAnswer.Absent("no such record");
            }
            var literals = new ArrayList<String>();
            for (int i = random.nextInt(1, 20); i > 0; i--) {
                literals.add("10.4.0." + random.nextInt(40));
            }
            return new NameAnswer.Addresses(literals, OptionalLong.of(random.nextLong(1_000)));
        }
    }
}
