package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Simulates a group that sums one tensor repeatedly, with the links and processors that a test sets. */
final class SumsOfOneSize {
    static final SumModel MODEL = new SumModel(60_000);
    static final CodecCost FP16 = new CodecCost(true, 2, 0.2, 0.1, 0.15);
    static final CodecCost INT8 = new CodecCost(true, 1.0625, 0.3, 0.15, 0.17);
    static final CodecCost TOP_K = new CodecCost(false, 0.0305, 0.9, 0.1, 0.05);
    static final List<CodecCost> COSTS = List.of(FP16, INT8, TOP_K);
    static final double GIGABIT = 8.5; // nanoseconds of a byte

    private final int world;
    private final long count;
    private final SplittableRandom random;
    private final List<SizeVotes> votes;
    double link = GIGABIT;
    double noise; // largest random share by which a sum takes longer
    double processors = 1; // speed relative to the measured costs
    List<CodecCost> costs = COSTS; // actual costs
    List<CodecCost> measured = COSTS; // measured costs; empty while they are being measured
    int decisions;
    int sums;
    double spent;
    double tried;
    double longestTrial;
    private double trial;

    SumsOfOneSize(int world, long count, long seed) {
        this.world = world;
        this.count = count;
        this.random = new SplittableRandom(seed);
        votes = IntStream.range(0, world)
                .mapToObj(_ -> new SizeVotes(COSTS.size()))
                .toList();
    }

    CodecDecision decision() {
        return votes.getFirst().decision();
    }

    /** Nanoseconds of such a sum without disturbance. */
    double nanos(int choice) {
        return choice == 0
                ? MODEL.plainNanos(world, count, link)
                : MODEL.encodedNanos(costs.get(choice - 1), world, count, link, processors);
    }

    /** The shortest time of any choice. */
    double best() {
        return IntStream.rangeClosed(0, costs.size())
                .mapToDouble(this::nanos)
                .min()
                .orElseThrow();
    }

    SumsOfOneSize sum(int times) {
        for (int i = 0; i < times; i++) {
            sum();
        }
        return this;
    }

    void sum() {
        vote();
        double nanos = nanos(decision().chosen()) * (1 + noise * random.nextDouble());
        if (noise > 0 && random.nextInt(20) == 0) {
            nanos *= 3; // other load on the machine
        }
        spent += nanos;
        tried += decision().isTrial() ? nanos : 0;
        trial = decision().isTrial() ? trial + nanos : 0;
        longestTrial = Math.max(longestTrial, trial);
        sums++;
        int last = random.nextInt(world); // the rank that begins last
        for (int rank = 0; rank < world; rank++) {
            votes.get(rank).ended(world);
            votes.get(rank).took((long) (nanos * (rank == last ? 1 : 1 + random.nextDouble())));
        }
    }

    private void vote() {
        if (!votes.getFirst().isDue()) {
            return;
        }
        var ballots = new ArrayList<CodecMeasurements>();
        for (SizeVotes each : votes) {
            ballots.add(each.ballot(count, measured));
        }
        CodecDecision made = decision().next(ballots, MODEL);
        for (SizeVotes each : votes) {
            if (!each.decision().next(ballots, MODEL).equals(made)) {
                throw new AssertionError("members decide differently");
            }
            each.decided(made, world);
        }
        decisions++;
    }
}
