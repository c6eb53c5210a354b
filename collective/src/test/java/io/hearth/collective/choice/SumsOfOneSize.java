package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A group that sums one tensor again and again, over links and on processors as a test says. */
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
    double noise; // largest share by which a sum is longer, now and then
    double processors = 1; // how fast they are, of what their costs say
    List<CodecCost> costs = COSTS; // as they are
    List<CodecCost> told = COSTS; // as they were measured; none while that goes on
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

    /** Nanoseconds of such a sum, if nothing disturbs it. */
    double nanos(int choice) {
        return choice == 0
                ? MODEL.plainNanos(world, count, link)
                : MODEL.encodedNanos(costs.get(choice - 1), world, count, link, processors);
    }

    /** The least that any choice takes. */
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
            nanos *= 3; // somebody opened a film
        }
        spent += nanos;
        tried += decision().isTrial() ? nanos : 0;
        trial = decision().isTrial() ? trial + nanos : 0;
        longestTrial = Math.max(longestTrial, trial);
        sums++;
        int last = random.nextInt(world); // to begin
        for (int rank = 0; rank < world; rank++) {
            votes.get(rank).ended(world);
            votes.get(rank).took((long) (nanos * (rank == last ? 1 : 1 + random.nextDouble())));
        }
    }

    private void vote() {
        if (!votes.getFirst().isDue()) {
            return;
        }
        var ballots = new ArrayList<CodecBallot>();
        for (SizeVotes each : votes) {
            ballots.add(each.ballot(count, told));
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
