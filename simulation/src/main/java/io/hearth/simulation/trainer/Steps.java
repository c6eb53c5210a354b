package io.hearth.simulation.trainer;

import io.hearth.collective.Signature;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The model of a script, as one number, and its position in the present step. A step is its beginning and some sums; some of these may
 * be broadcasts or calls that give each rank a part. A script without steps has only the sums.
 */
public final class Steps {
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);
    private static final Signature SUM_IN_PLACE = Signature.inPlace(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.AUTO);
    private static final Signature BEGINNING = Signature.boundary(64);
    private static final int SUMS_MAX = 4;
    private static final int BROADCAST_EVERY = 2;
    private static final int IN_PLACE_EVERY = 3;
    private static final int PLAN_EVERY = 5;
    private static final int PART_EVERY = 3; // never the numbers of sums in place
    private static final List<Signature.Kind> PARTS = List.of(
            Signature.Kind.REDUCE,
            Signature.Kind.GATHER,
            Signature.Kind.SCATTER,
            Signature.Kind.REDUCE_SCATTER,
            Signature.Kind.ALL_TO_ALL);

    private final ProcessContext process;
    private final WorldSetting setting;
    private final List<Long> models = new ArrayList<>(List.of(0L)); // newest last; one per number where calls overlap
    private String passedIn = ""; // lineage of the newest beginning
    private long revision;
    private long begun;
    private long begunNanos;
    private int sumsLeft;
    private boolean willFlip;

    Steps(ProcessContext process) {
        this.process = process;
        this.setting = process.setting();
    }

    /**
     * The next call. It is the same on all ranks because it depends only on facts that all of them know. Before the first number ended,
     * they may know different ranks.
     */
    Signature next(long number, List<NodeId> ranks) {
        if (setting.hasSteps && sumsLeft == 0) {
            return BEGINNING;
        }
        if (setting.hasPlans && !setting.hasSteps && setting.depth == 1 && number % PLAN_EVERY == 0) {
            return Signature.plan();
        }
        if (setting.hasParts && number > 1 && number % PART_EVERY == 1) {
            return part(number / PART_EVERY, ranks);
        }
        if (!setting.hasBroadcasts || number == 1 || number % BROADCAST_EVERY > 0) {
            return setting.hasSumsInPlace && number % IN_PLACE_EVERY == 0 ? SUM_IN_PLACE : SUM;
        }
        NodeId root = ranks.get((int) (number / BROADCAST_EVERY % ranks.size()));
        return Signature.broadcast(DataType.FLOAT32, 10, root);
    }

    /** A call that gives each rank a part. Overlapping calls may know different ranks, so they have no root. */
    private Signature part(long count, List<NodeId> ranks) {
        Signature.Kind kind =
                setting.depth == 1 ? PARTS.get((int) (count % PARTS.size())) : Signature.Kind.REDUCE_SCATTER;
        Optional<NodeId> root =
                kind.hasRoot() ? Optional.of(ranks.get((int) (count % ranks.size()))) : Optional.empty();
        return new Signature(
                kind,
                ReduceOp.SUM,
                DataType.FLOAT32,
                10,
                Signature.PLAIN,
                root,
                Signature.AUTO,
                false,
                Optional.empty());
    }

    /** Plans a flipped bit before the next step, if there is a step. */
    public boolean flipsBeforeNext() {
        willFlip = setting.hasSteps && revision > 0;
        return willFlip;
    }

    /** Flips the planned bit when the next call begins a step. */
    void flip() {
        if (willFlip && sumsLeft == 0) {
            willFlip = false;
            long flipped = models.removeLast() ^ 1L << setting.random.nextInt(Long.SIZE);
            models.add(flipped);
            process.surroundings().results().flipped(flipped);
            process.trace(() -> "has a wrong bit in its model");
        }
    }

    /** The number of steps that began. */
    public long begun() {
        return begun;
    }

    /** The instant at which the newest step began. */
    long begunNanos() {
        return begunNanos;
    }

    /** The model that goes into the call of a number. */
    long model(long number) {
        return setting.hasSteps
                ? models.getLast()
                : models.get((int) Math.min(models.size() - 1, Math.max(0, number - setting.depth)));
    }

    /** The count of numbers that are in the model, without steps. */
    long numbers() {
        return models.size() - 1L;
    }

    /** A call ended with this value, or -1 without a result. */
    void summed(long value) {
        long next = 31 * models.getLast() + value;
        if (setting.hasSteps) {
            models.clear();
            sumsLeft--;
        }
        models.add(next);
    }

    /** This member's claim at the beginning of a step of that lineage. */
    GroupFrame.Claim claim(String lineage) {
        return new GroupFrame.Claim(revision, models.getLast(), !lineage.equals(passedIn));
    }

    /** Replaces the model by the fetched one. */
    void takeOver(long model) {
        models.clear();
        models.add(model);
    }

    /** Takes over the revision of the agreed state. */
    void agree(long agreedRevision) {
        revision = agreedRevision;
    }

    /** A step began with the agreed state. */
    void begin(String lineage, long agreedModel) {
        Violation.unless(
                models.getLast() == agreedModel, "I8", "a step begins with another state than the one agreed on");
        passedIn = lineage;
        begun++;
        begunNanos = setting.now();
        revision++; // the revision that this step produces
        sumsLeft = Math.floorMod(agreedModel + revision, SUMS_MAX); // the same on all
    }

    /** The present step ended early; its results do not count. */
    void interrupt() {
        sumsLeft = 0;
        passedIn = "";
    }
}
