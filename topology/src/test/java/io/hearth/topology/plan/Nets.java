package io.hearth.topology.plan;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntBinaryOperator;

/** Networks for tests, in units of {@value #UNIT} bytes per second. */
final class Nets {
    static final long UNIT = 1_000_000;

    private Nets() {}

    /** A switch: each pair gets the rate of the slower port. */
    static LinkMatrix.Builder switched(int... ports) {
        return pairs(ports.length, (from, to) -> Math.min(ports[from], ports[to]));
    }

    /** Rates by pair; 0 is unknown. */
    static LinkMatrix.Builder pairs(int world, IntBinaryOperator rate) {
        LinkMatrix.Builder links = LinkMatrix.builder(world);
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                if (from != to) {
                    links.rate(from, to, UNIT * rate.applyAsInt(from, to));
                }
            }
        }
        return links;
    }

    /** Each rate changed by up to a part of it, up or down. */
    static LinkMatrix noisy(LinkMatrix truth, double part, SplittableRandom random) {
        LinkMatrix.Builder links = LinkMatrix.builder(truth.world());
        for (int from = 0; from < truth.world(); from++) {
            links.machine(from, truth.machine(from));
            for (int to = 0; to < truth.world(); to++) {
                if (from != to) {
                    double factor = 1 + part * (2 * random.nextDouble() - 1);
                    links.rate(from, to, (long) (truth.bytesPerSecond(from, to) * factor));
                    if (!truth.reachable(from, to)) {
                        links.unreachable(from, to);
                    }
                }
            }
        }
        return links.build();
    }

    /** Independent rates, in each direction, of the classes of home networks, some pairs without a link. */
    static LinkMatrix random(int world, double gaps, SplittableRandom random) {
        int[] classes = {2_500, 1_175, 288, 117, 37, 12, 3};
        LinkMatrix.Builder links = LinkMatrix.builder(world);
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                if (from != to) {
                    double rate = classes[random.nextInt(classes.length)] * (0.8 + 0.4 * random.nextDouble());
                    links.rate(from, to, (long) (UNIT * rate));
                    if (random.nextDouble() < gaps) {
                        links.unreachable(from, to);
                    }
                }
            }
        }
        return links.build();
    }

    /** Rate of the narrowest hop of a ring; 0 if a hop has no link. */
    static long narrowest(LinkMatrix links, List<Integer> ring) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ring.size(); i++) {
            least = Math.min(least, links.rate(ring.get(i), ring.get((i + 1) % ring.size())));
        }
        return least;
    }
}
