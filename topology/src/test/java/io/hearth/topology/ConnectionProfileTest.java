package io.hearth.topology;

import static io.hearth.topology.Nodes.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConnectionProfileTest {
    private static final long MILLI = 1_000_000;

    @Test
    void theHighestRateMakesTheBestPath() {
        var link = new ConnectionProfile(
                node(0),
                node(1),
                List.of(
                        path("10.0.0.2:1", InterfaceClass.WIFI, MILLI),
                        path("10.0.1.2:1", InterfaceClass.ETHERNET, 3 * MILLI).throughput(100),
                        path("10.0.2.2:1", InterfaceClass.THUNDERBOLT, 2 * MILLI)
                                .throughput(300)));
        assertEquals("10.0.2.2:1", link.path());
        assertEquals(InterfaceClass.THUNDERBOLT, link.kind());
        assertEquals(MILLI, link.roundTripNanos(), "the shortest round trip is that of any path");
        assertEquals(OptionalLong.of(300), link.bytesPerSecond());
    }

    @Test
    void withoutRatesOrWithEqualOnesTheShortestRoundTripDecides() {
        PathProfile slow = path("a", InterfaceClass.WIFI, 3 * MILLI);
        PathProfile quick = path("b", InterfaceClass.ETHERNET, MILLI);
        assertEquals("b", new ConnectionProfile(node(0), node(1), List.of(slow, quick)).path());
        assertEquals(
                "b", new ConnectionProfile(node(0), node(1), List.of(slow.throughput(7), quick.throughput(7))).path());
        assertEquals(
                OptionalLong.empty(), new ConnectionProfile(node(0), node(1), List.of(slow, quick)).bytesPerSecond());
    }

    @Test
    void aPathReplacesTheFormerOneOfItsName() {
        ConnectionProfile link = ConnectionProfile.of(node(0), node(1), InterfaceClass.WIFI, MILLI, "a")
                .with(path("b", InterfaceClass.ETHERNET, 2 * MILLI))
                .with(path("a", InterfaceClass.WIFI, 5 * MILLI));
        assertEquals(
                List.of("a", "b"), link.paths().stream().map(PathProfile::path).toList());
        assertEquals(5 * MILLI, link.path("a").orElseThrow().roundTripNanos());
        assertEquals(Optional.empty(), link.path("c"));
    }

    @Test
    void pathsAreDifferentAndBounded() {
        PathProfile one = path("a", InterfaceClass.WIFI, 1);
        assertThrows(IllegalArgumentException.class, () -> new ConnectionProfile(node(0), node(1), List.of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConnectionProfile(node(0), node(1), List.of(one, one.roundTrip(9))));
        var many = new ArrayList<PathProfile>();
        for (int i = 0; i < ConnectionProfile.PATHS_MAX; i++) {
            many.add(path("path " + i, InterfaceClass.OTHER, 1));
        }
        var full = new ConnectionProfile(node(0), node(1), many);
        assertThrows(IllegalArgumentException.class, () -> full.with(one));
    }

    @Test
    void theOrderOfPathsDoesNotMatter() {
        PathProfile one = path("a", InterfaceClass.WIFI, 1);
        PathProfile two = path("b", InterfaceClass.WIFI, 1);
        assertEquals(
                new ConnectionProfile(node(0), node(1), List.of(one, two)),
                new ConnectionProfile(node(0), node(1), List.of(two, one)));
    }

    /** Compares the best path with the first of a sorted list. */
    @Test
    void theBestPathIsTheFirstByRateThenRoundTripThenName() {
        for (long seed = 0; seed < 300; seed++) {
            var random = new SplittableRandom(seed);
            var paths = new ArrayList<PathProfile>();
            for (int i = 0; i < 1 + random.nextInt(7); i++) {
                PathProfile path = path("path " + i, InterfaceClass.OTHER, 1 + random.nextInt(3));
                paths.add(random.nextBoolean() ? path : path.throughput(1 + random.nextInt(3)));
            }
            PathProfile expected = paths.stream()
                    .sorted((a, b) -> {
                        int byRate = Long.compare(
                                b.bytesPerSecond().orElse(0), a.bytesPerSecond().orElse(0));
                        int byTrip = Long.compare(a.roundTripNanos(), b.roundTripNanos());
                        return byRate != 0
                                ? byRate
                                : byTrip != 0 ? byTrip : a.path().compareTo(b.path());
                    })
                    .findFirst()
                    .orElseThrow();
            assertEquals(expected, new ConnectionProfile(node(0), node(1), paths.reversed()).best(), "seed " + seed);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0", "1, 0, 0", "1, 1, -1", "1, 1, 1001"})
    void numbersOutOfRangeAreRefused(long roundTripNanos, long bytesPerSecond, int lossPermille) {
        assertThrows(
                IllegalArgumentException.class,
                () -> new PathProfile(
                        "a",
                        InterfaceClass.WIFI,
                        "",
                        roundTripNanos,
                        OptionalLong.of(bytesPerSecond),
                        OptionalInt.of(lossPermille),
                        0));
    }

    @Test
    void anAgeIsADifferenceOfMonotonicTimes() {
        PathProfile path = path("a", InterfaceClass.WIFI, 1).measuredAt(Long.MAX_VALUE - 5);
        assertEquals(15, path.ageNanos(Long.MIN_VALUE + 9), "the clock wrapped");
        assertEquals(0, path.ageNanos(Long.MAX_VALUE - 6), "a measurement of the future is new");
        assertEquals(OptionalInt.of(12), path.loss(12).lossPermille());
    }

    @Test
    void aNewRoundTripDoesNotMakeAnOldThroughputNew() {
        PathProfile path = path("a", InterfaceClass.WIFI, 9).measuredAt(100);
        assertEquals(200, path.refreshed(8, 200).measuredNanos());
        assertEquals(8, path.refreshed(8, 200).roundTripNanos());
        assertEquals(100, path.throughput(7).refreshed(8, 200).measuredNanos());
        assertEquals(OptionalLong.of(7), path.throughput(7).refreshed(8, 200).bytesPerSecond());
        assertEquals(100, path.loss(0).refreshed(8, 200).measuredNanos());
    }

    @Test
    void textsAreCleanedAndCut() {
        var path = PathProfile.of("10.0.0.1:1\u001b[2J", InterfaceClass.WIFI, "x".repeat(500) + "\n", 1, 0);
        assertEquals("10.0.0.1:1[2J", path.path());
        assertTrue(path.evidence().length() <= PathProfile.EVIDENCE_CHARACTERS_MAX, path.evidence());
    }

    private static PathProfile path(String name, InterfaceClass kind, long roundTripNanos) {
        return PathProfile.of(name, kind, "", roundTripNanos, 0);
    }
}
