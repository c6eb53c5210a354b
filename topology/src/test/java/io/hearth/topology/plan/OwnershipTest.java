package io.hearth.topology.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shares of direct sums, against formulas that this test has of its own. */
final class OwnershipTest {
    private static final double PICOS = 1e12;

    /** Time by the formulas of the ports and pairs alone. */
    private static double picos(LinkMatrix links, double[] shares) {
        int world = shares.length;
        double worst = 0;
        for (int i = 0; i < world; i++) {
            double out = 0;
            double in = 0;
            for (int j = 0; j < world; j++) {
                if (i != j) {
                    out = Math.max(out, (double) links.rate(i, j));
                    in = Math.max(in, (double) links.rate(j, i));
                    worst = Math.max(worst, (shares[i] + shares[j]) / links.rate(i, j));
                }
            }
            worst = Math.max(worst, (1 + (world - 2) * shares[i]) / Math.min(out, in));
        }
        return worst * PICOS;
    }

    private static Ownership.Shares best(LinkMatrix links) {
        var work = new Work(0);
        int world = links.world();
        return new Ownership(
                        new Network(links, Partition.STEP_MIN, work),
                        IntStream.range(0, world).toArray(),
                        new double[world][world],
                        work)
                .best();
    }

    private static double[] shares(Ownership.Shares planned, int world) {
        var shares = new double[world];
        Arrays.setAll(
                shares,
                i -> planned.weights().isEmpty()
                        ? 1.0 / world
                        : planned.weights().get(i) / 65_535.0);
        return shares;
    }

    /** Links that differ by almost four times, without a jump of two in the sorted rates, which would make islands. */
    private static LinkMatrix withoutJump(int world, SplittableRandom random) {
        int[] rates = {100, 190, 370};
        LinkMatrix links;
        do {
            links = Nets.pairs(world, (_, _) -> rates[random.nextInt(3)] + random.nextInt(9))
                    .build();
        } while (!Partition.of(links, Partition.STEP_MIN).isEmpty());
        return links;
    }

    /** All divisions of the buffer into 40 parts or more. */
    @Test
    void noDivisionIsMuchBetter() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new SplittableRandom(seed);
            int world = 3 + (int) (seed % 2);
            LinkMatrix links = withoutJump(world, random);
            Ownership.Shares planned = best(links);
            double predicted = planned.worst().picos();
            assertEquals(picos(links, shares(planned, world)), predicted, 1e-6 * predicted, "seed " + seed);
            double least = Double.POSITIVE_INFINITY;
            int parts = world == 3 ? 200 : 40;
            for (int a = 0; a <= parts; a++) {
                for (int b = 0; a + b <= parts; b++) {
                    for (int c = world == 3 ? parts - a - b : 0; a + b + c <= parts; c++) {
                        double[] all = {a, b, c, parts - a - b - c};
                        double[] divided = Arrays.stream(all)
                                .limit(world)
                                .map(part -> part / parts)
                                .toArray();
                        least = Math.min(least, picos(links, divided));
                    }
                }
            }
            assertTrue(predicted <= least / 0.97 * 1.002, "seed " + seed + ": " + predicted + " against " + least);
        }
    }

    /** More ranks, against random changes of the result that keep the sum. */
    @Test
    void noSmallChangeHelps() {
        for (long seed = 0; seed < 60; seed++) {
            var random = new SplittableRandom(seed);
            int world = 5 + (int) (seed % 9);
            LinkMatrix links = withoutJump(world, random);
            Ownership.Shares planned = best(links);
            double[] shares = shares(planned, world);
            for (int i = 0; i < 2_000; i++) {
                int from = random.nextInt(world);
                int to = random.nextInt(world);
                double moved = Math.min(shares[from], 0.05 * random.nextDouble());
                shares[from] -= moved;
                shares[to] += moved;
                double changed = picos(links, shares);
                assertTrue(planned.worst().picos() <= changed / 0.97 * 1.003, "seed " + seed);
                shares[from] += moved;
                shares[to] -= moved;
            }
        }
    }

    /** Ports of a switch have a closed form: all ports with a share are busy to the end. */
    @Test
    void portsOfASwitchFinishTogether() {
        LinkMatrix links = Nets.switched(190, 150, 120, 100).build();
        Ownership.Shares planned = best(links);
        double rates = 150 + 150 + 120 + 100; // no other port of the switch shows that the first one could do 190
        double seconds = (4 + 2) / rates; // sum over ports of 1 + 2 w
        assertEquals(seconds * PICOS / Nets.UNIT, planned.worst().picos(), 1);
    }

    /** Water-filling would give the last port 0.4 %. */
    @Test
    void aTinyShareBecomesNone() {
        LinkMatrix links = Nets.pairs(4, (from, to) -> Math.max(from, to) == 3 ? 606 : 1_000)
                .build();
        Ownership.Shares planned = best(links);
        assertEquals(0, planned.weights().getLast());
        assertEquals((1 + 2 / 3.0) / 1_000 * PICOS / Nets.UNIT, planned.worst().picos(), 1);
    }

    /** Two ranks of an island send to a third one over a shared wire, which is slower than the third one's port. */
    @Test
    void twoRanksShareTheWireToAThird() {
        LinkMatrix links = Nets.pairs(4, (from, to) -> from + to == 1 ? 400 : from + to == 5 ? 20 : 12)
                .build();
        var flow = new double[4][4];
        flow[0][2] = 1;
        flow[1][2] = 1;
        Limit worst = new Network(links, Partition.STEP_MIN, new Work(0)).worst(flow, new int[] {0, 1, 2, 3});
        assertEquals(2 * PICOS / (12 * Nets.UNIT), worst.picos(), 1);
        assertEquals(Limit.Kind.CUT, worst.kind());
    }

    @Test
    void aGainBelowNoiseIsNoReason() {
        assertEquals(List.of(), best(Nets.switched(100, 101, 99, 100).build()).weights());
        assertEquals(List.of(), best(Nets.switched(100, 1).build()).weights(), "two always share equally");
        assertEquals(
                65_535,
                best(Nets.switched(100, 100, 100, 50).build()).weights().stream()
                        .mapToInt(Integer::intValue)
                        .sum());
    }

    /** The budget of the game ends long before its optimum, and the shares are still valid. */
    @Test
    void aGameWithoutTimeGivesValidShares() {
        var random = new SplittableRandom(1);
        var rows = IntStream.range(0, 40)
                .mapToObj(_ -> random.doubles(30, 0, 1).toArray())
                .toList();
        for (long steps : new long[] {0, 1, 2_000, 1_000_000}) {
            double[] shares = new MatrixGame(rows, new Work(steps)).shares();
            assertEquals(1, Arrays.stream(shares).sum(), 1e-9);
            assertTrue(Arrays.stream(shares).allMatch(share -> share >= 0));
        }
    }

    /** By the theorem of von Neumann, the other side of the game has the same value. */
    @Test
    void bothSidesOfAGameAgree() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new SplittableRandom(seed);
            int size = 2 + random.nextInt(8);
            List<double[]> rows = IntStream.range(0, 2 + random.nextInt(8))
                    .mapToObj(_ -> random.doubles(size, 0.1, 1).toArray())
                    .toList();
            var game = new MatrixGame(rows, new Work(1_000_000));
            List<double[]> others = IntStream.range(0, size)
                    .mapToObj(column -> rows.stream()
                            .mapToDouble(row -> 1 / 1.1 * (1.1 - row[column]))
                            .toArray())
                    .toList();
            double other = 1.1 - 1.1 * new MatrixGame(others, new Work(1_000_000)).value();
            assertEquals(game.value(), other, 1e-9, "seed " + seed);
            double largest = rows.stream()
                    .mapToDouble(row -> IntStream.range(0, size)
                            .mapToDouble(i -> row[i] * game.shares()[i])
                            .sum())
                    .max()
                    .orElseThrow();
            assertEquals(game.value(), largest, 1e-9, "seed " + seed);
        }
    }
}
