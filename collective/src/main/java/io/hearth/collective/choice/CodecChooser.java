package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Makes a {@link CodecDecision} from the previous one and from the members' measurements since then. A group of one sends nothing and keeps
 * plain values. Any other group sums plain values until all members know the costs of their codecs. Then it uses the choice with the
 * shortest predicted time, from these costs and from the link speed that plain sums showed. A measured time overrides a predicted one.
 *
 * <p>If the time of sums clearly changes, the link has changed: earlier measurements are dropped, and all times are predicted again. A
 * trial measures what cannot be predicted: codecs that might be faster, and sometimes plain values, because a link that became faster may
 * not show with a codec. Trials have a budget, {@link #TRIALS_SHARE} of the time that sums take.
 */
final class CodecChooser {
    /** Least factor by which a change must make sums faster. */
    private static final double GAIN_MIN = 1.1;

    /** Factor by which a time must differ to count as changed. */
    private static final double CHANGE_MIN = 1.5;

    /** A new choice is dropped at once if it is slower than another one by this factor. */
    private static final double MUCH_SLOWER = 2;

    /** A codec is tried if it might be faster on processors that are faster by this factor than when its costs were measured. */
    private static final double PROCESSOR_SPEEDUP = 2;

    /**
     * Share of the time of all sums that trials may take: a third of the promised limit, because a trial may take longer than predicted.
     */
    private static final double TRIALS_SHARE = 0.01;

    /** Share of the time of all sums that wrong predictions may cost; beyond it, only measured times count. */
    private static final double MISTAKES_SHARE = 0.1;

    /** Share of the time of sums that decisions may take, as far as {@link CodecDecision#CALLS_MAX} allows. */
    private static final double VOTES_SHARE = 0.05;

    /** Least number of sums before plain values are tried again. */
    private static final int PLAIN_AFTER = 64;

    private final CodecDecision before;
    private final SumModel model;
    private final int round;
    private final int world;
    private final long count;
    private final List<CodecCost> costs; // empty while a member measures them
    private final List<Double> taken; // times of sums since the previous decision
    private final double[] seen;
    private List<Double> recent;
    private double link;
    private double spent;
    private double lost;
    private int sincePlain;

    private CodecChooser(CodecDecision before, List<CodecMeasurements> ballots, SumModel model, int round) {
        CodecTimes times = before.times();
        this.before = before;
        this.model = model;
        this.round = round;
        this.world = ballots.size();
        this.count = ballots.getFirst().count();
        this.seen = times.seen().stream().mapToDouble(Double::doubleValue).toArray();
        this.costs = worst(ballots, before.codecs());
        this.taken = taken(ballots);
        this.recent = times.recent();
        this.link = times.nanosPerByte();
        this.spent = times.spent();
        this.lost = times.lost();
        this.sincePlain = times.sincePlain();
    }

    /**
     * The next decision. All members have the same ballots and so make the same decision.
     *
     * @param before this member's last decision, whose round is in its ballot
     * @param ballots of all members, at least one, about the same codecs
     */
    static CodecDecision next(CodecDecision before, List<CodecMeasurements> ballots, SumModel model) {
        CodecMeasurements first = ballots.getFirst();
        int codecs = before.codecs();
        int round =
                ballots.stream().mapToInt(CodecMeasurements::round).max().orElseThrow() % (Integer.MAX_VALUE - 1) + 1;
        if (ballots.size() == 1) { // nothing is sent, so nothing is saved
            return new CodecDecision(0, 0, CodecDecision.CALLS_MAX, round, CodecTimes.none(codecs));
        }
        boolean isConsistent =
                ballots.stream().allMatch(each -> each.count() == first.count() && each.round() == first.round());
        return isConsistent
                ? new CodecChooser(before, ballots, model, round).next()
                : CodecDecision.none(codecs, round);
    }

    /** The costs on the slowest member; empty if any member does not know its costs. */
    private static List<CodecCost> worst(List<CodecMeasurements> ballots, int codecs) {
        var worst = new ArrayList<CodecCost>();
        if (ballots.stream().allMatch(each -> each.costs().size() == codecs)) {
            for (int codec = 0; codec < codecs; codec++) {
                int at = codec;
                worst.add(ballots.stream()
                        .map(each -> each.costs().get(at))
                        .reduce(CodecCost::orWorse)
                        .orElseThrow());
            }
        }
        return worst;
    }

    /** The least time of all members for each sum: the member that began last did not wait for others. */
    private static List<Double> taken(List<CodecMeasurements> ballots) {
        var taken = new ArrayList<Double>();
        for (int i = 0; i < CodecMeasurements.NANOS; i++) {
            int at = i;
            ballots.stream()
                    .mapToDouble(each -> each.nanos().get(at))
                    .filter(nanos -> !Double.isNaN(nanos))
                    .min()
                    .ifPresent(taken::add);
        }
        return taken;
    }

    private CodecDecision next() {
        addTimes();
        if (before.isTrial()) {
            return afterTrial();
        }
        int settled = before.settled();
        if (Double.isNaN(seen[settled]) && !isMeasured(settled)) {
            return settle(settled);
        }
        if (recent.size() == CodecTimes.RECENT) {
            adapt(settled, CodecTimes.median(recent));
        }
        int best = fastest(settled);
        if (best == settled && recent.size() == CodecTimes.RECENT) {
            return decision(trial(settled), settled);
        }
        return settle(best);
    }

    private void addTimes() {
        double mean = taken.stream().mapToDouble(Double::doubleValue).average().orElse(0);
        spent += mean * before.calls();
        sincePlain = before.chosen() == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, sincePlain + (long) before.calls());
        if (!before.isTrial()) {
            var all = new ArrayList<>(recent);
            all.addAll(taken);
            recent = all.subList(Math.max(0, all.size() - CodecTimes.RECENT), all.size());
        }
    }

    /** Whether the time of sums with a new choice is known by now; if so, records it. */
    private boolean isMeasured(int choice) {
        double other =
                Arrays.stream(seen).filter(nanos -> !Double.isNaN(nanos)).min().orElse(Double.MAX_VALUE);
        lost += taken.stream().mapToDouble(nanos -> Math.max(0, nanos - other)).sum();
        boolean isMuchSlower = !recent.isEmpty() && recent.getLast() > MUCH_SLOWER * other;
        if (recent.size() < CodecTimes.RECENT && !isMuchSlower) {
            return false;
        }
        record(choice, CodecTimes.median(recent));
        return true;
    }

    private void record(int choice, double nanos) {
        seen[choice] = nanos;
        if (choice == 0) {
            link = model.nanosPerByte(world, count, nanos);
        }
    }

    private CodecDecision afterTrial() {
        int tried = before.chosen();
        int settled = before.settled();
        if (!taken.isEmpty()) {
            double nanos = taken.getLast();
            lost += taken.stream().mapToDouble(Double::doubleValue).sum();
            if (tried == 0) { // plain sums show the present link, so all earlier measurements may be out of date
                forgetAllBut(settled);
            }
            record(tried, nanos);
        }
        return settle(fastest(settled));
    }

    /** Whether a time differs clearly from an earlier one; false if either is NaN. */
    private static boolean isChanged(double now, double then) {
        return now > then * CHANGE_MIN || now * CHANGE_MIN < then;
    }

    private void adapt(int settled, double now) {
        double then = seen[settled];
        if (!isChanged(now, then)) {
            return;
        }
        forgetAllBut(settled);
        if (settled > 0 && !costs.isEmpty()) {
            link = model.nanosPerByte(costs.get(settled - 1), world, count, link, then, now);
        }
        record(settled, now);
    }

    private void forgetAllBut(int choice) {
        double kept = seen[choice];
        Arrays.fill(seen, Double.NaN);
        seen[choice] = kept;
    }

    /** The settled choice, unless another one is faster by {@link #GAIN_MIN}; of choices that are about as fast, the most preferred one. */
    private int fastest(int settled) {
        int best = 0;
        for (int choice = 1; choice < seen.length; choice++) {
            best = expected(choice) * GAIN_MIN < expected(best) ? choice : best;
        }
        boolean isGoodEnough = settled == 0 || expected(settled) < expected(0);
        return isGoodEnough && expected(settled) <= expected(best) * GAIN_MIN ? settled : best;
    }

    /** The measured time, or else the predicted one while the budget for wrong predictions lasts. */
    private double expected(int choice) {
        if (!Double.isNaN(seen[choice])) {
            return seen[choice];
        }
        return lost <= MISTAKES_SHARE * spent ? predicted(choice, 1) : Double.POSITIVE_INFINITY;
    }

    private double predicted(int choice, double processors) {
        if (Double.isNaN(link) || (choice > 0 && costs.isEmpty())) {
            return Double.POSITIVE_INFINITY;
        }
        return choice == 0
                ? model.plainNanos(world, count, link)
                : model.encodedNanos(costs.get(choice - 1), world, count, link, processors);
    }

    /** The choice to try next; the settled one if there is nothing to try or the budget is used up. */
    private int trial(int settled) {
        for (int choice = 1; choice < seen.length; choice++) {
            boolean mightBeFaster = predicted(choice, PROCESSOR_SPEEDUP) * GAIN_MIN < seen[settled];
            if (Double.isNaN(seen[choice]) && mightBeFaster && isAffordable(predicted(choice, 1))) {
                return choice;
            }
        }
        double plain = Double.isNaN(seen[0]) ? predicted(0, 1) : seen[0];
        return settled != 0 && sincePlain >= PLAIN_AFTER && isAffordable(plain) ? 0 : settled;
    }

    private boolean isAffordable(double nanos) {
        return lost + nanos <= TRIALS_SHARE * (spent + nanos);
    }

    /** Settles on a choice. A trial measures one sum only, so a choice that was tried is measured again. */
    private CodecDecision settle(int choice) {
        if (choice != before.settled()) {
            recent = List.of();
            seen[choice] = before.isTrial() && choice == before.chosen() ? Double.NaN : seen[choice];
        }
        return decision(choice, choice);
    }

    private CodecDecision decision(int choice, int settled) {
        int calls = choice == settled ? calls(settled) : 1;
        return new CodecDecision(
                choice,
                settled,
                calls,
                round,
                new CodecTimes(
                        link,
                        spent,
                        lost,
                        sincePlain,
                        recent,
                        Arrays.stream(seen).boxed().toList()));
    }

    /** Number of sums until the next decision: 1 until their time is known, then enough to make the decision's own time negligible. */
    private int calls(int settled) {
        return recent.size() < CodecTimes.RECENT
                ? 1
                : (int) Math.clamp(
                        Math.ceil(model.voteNanos(world) / (VOTES_SHARE * seen[settled])), 1, CodecDecision.CALLS_MAX);
    }
}
