package io.hearth.topology.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PlanEncodingTest {
    private static final PlanCosts COSTS =
            new PlanCosts(new Route(1, 2), Route.NEVER, Route.UNKNOWN, new Route(Long.MAX_VALUE, 1));
    private static final Plan FULL =
            new Plan(List.of(0, 2, 1), List.of(65_535, 0, 0), List.of(0, 2, 2), List.of(1, 65_534), COSTS);

    @Test
    void aPlanArrivesAsSent() throws MalformedMessageException {
        for (Plan plan : List.of(
                FULL,
                Plan.NONE,
                new Plan(List.of(0, 2, 1), List.of(), List.of(), COSTS),
                new Plan(List.of(), List.of(65_533, 1, 1), List.of(), COSTS),
                new Plan(List.of(), List.of(), List.of(1, 1, 2), COSTS))) {
            assertEquals(plan, PlanEncoding.decode(PlanEncoding.encode(plan)));
        }
        assertEquals(66, PlanEncoding.encode(Plan.NONE).length);
    }

    @Test
    void theLargestPlanFitsTheLimits() throws MalformedMessageException {
        var order = IntStream.range(0, 256).boxed().toList();
        var weights =
                IntStream.range(0, 256).map(i -> i == 0 ? 65_535 : 0).boxed().toList();
        var islands = IntStream.range(0, 256).map(i -> Math.max(1, i)).boxed().toList();
        var plan = new Plan(order, weights, islands, weights.subList(0, 255), COSTS);
        byte[] bytes = PlanEncoding.encode(plan);
        assertTrue(bytes.length <= PlanEncoding.BYTES_MAX, bytes.length + " bytes");
        assertEquals(plan, PlanEncoding.decode(bytes));
        var more = IntStream.range(0, 257).boxed().toList();
        var large = new Plan(more, List.of(), List.of(), COSTS);
        assertThrows(IllegalArgumentException.class, () -> PlanEncoding.encode(large));
    }

    @Test
    void brokenPlansAreRejected() {
        record Broken(List<Integer> order, List<Integer> weights, List<Integer> islands, List<Integer> leaders) {}
        List<Integer> none = List.of();
        for (Broken broken : List.of(
                new Broken(List.of(1, 0), none, none, none),
                new Broken(List.of(0, 0), none, none, none),
                new Broken(List.of(0, 2), none, none, none),
                new Broken(List.of(0, -1), none, none, none),
                new Broken(none, List.of(65_536, -1), none, none),
                new Broken(none, List.of(65_535, 1), none, none),
                new Broken(none, none, List.of(0, 0, 0), none),
                new Broken(none, none, List.of(0, 1, 2), none),
                new Broken(none, none, List.of(1, 2, 2, 3), none),
                new Broken(none, none, List.of(0, 0, 7), none),
                new Broken(none, none, List.of(0, 0, 2), List.of(65_535)),
                new Broken(none, none, none, List.of(65_535)),
                new Broken(List.of(0, 1), List.of(65_535, 0, 0), none, none))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new Plan(broken.order, broken.weights, broken.islands, broken.leaders, COSTS),
                    broken::toString);
        }
        assertThrows(IllegalArgumentException.class, () -> new Route(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Route(0, -1));
    }

    /** For any bytes, the decoder gives a plan whose bytes are these, or throws MalformedMessageException. */
    @Test
    void mutatedBytesNeverEscape() {
        var random = new SplittableRandom(11);
        int accepted = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = PlanEncoding.encode(i % 2 == 0 ? FULL : Plan.NONE);
            bytes = Arrays.copyOf(bytes, Math.max(0, bytes.length + (i % 5 == 0 ? random.nextInt(-9, 9) : 0)));
            for (int flips = random.nextInt(3); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertArrayEquals(bytes, PlanEncoding.encode(PlanEncoding.decode(bytes)));
                accepted++;
            } catch (MalformedMessageException rejected) {
                assertTrue(String.valueOf(rejected.getMessage()).contains("plan"), rejected.getMessage());
            }
        }
        assertTrue(accepted > 1_000, accepted + " accepted");
        for (int i = 0; i < 20_000; i++) {
            var noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            assertThrows(MalformedMessageException.class, () -> PlanEncoding.decode(noise));
        }
    }
}
