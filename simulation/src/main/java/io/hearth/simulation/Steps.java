package io.hearth.simulation;

import io.hearth.collective.Signature;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a script trains, as one number, and where it is in its present step. A step is its beginning and some sums, of which
 * some may be broadcasts, or calls of which each rank gets a part. A script without steps has only those.
 */
final class Steps {
    private static final Signature SUM = Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.PLAIN);
    private static final Signature SUM_IN_PLACE = Signature.inPlace(ReduceOp.SUM, DataType.FLOAT32, 10, Signature.AUTO);
    private static final Signature BEGINNING = Signature.boundary(64);
    private static final int SUMS_MAX = 4;
    private static final int BROADCAST_EVERY = 2;
    private static final int IN_PLACE_EVERY = 3;
    private static final int PART_EVERY = 3; // and never the same numbers as sums in place
    private static final List<Signature.Kind> PARTS = List.of(
            Signature.Kind.REDUCE, Signature.Kind.GATHER, Signature.Kind.SCATTER, Signature.Kind.REDUCE_SCATTER);

    private final World world;
    private final List<Long> models = new ArrayList<>(List.of(0L)); // newest last; all of them where calls overlap
    private String passedIn = ""; // lineage of the newest beginning
    private long revision;
    private long begun;
    private long begunNanos;
    private int sumsLeft;
    private boolean willFlip;

    Steps(World world) {
        this.world = world;
    }

    /**
     * What to call now: the same on all ranks, by what all of them know. Before the first number ended they need not know the
     * same ranks.
     */
    Signature next(long number, List<NodeId> ranks) {
        if (world.hasSteps && sumsLeft == 0) {
            return BEGINNING;
        }
        if (world.hasParts && number > 1 && number % PART_EVERY == 1) {
            return part(number / PART_EVERY, ranks);
        }
        if (!world.hasBroadcasts || number == 1 || number % BROADCAST_EVERY > 0) {
            return world.hasSumsInPlace && number % IN_PLACE_EVERY == 0 ? SUM_IN_PLACE : SUM;
        }
        NodeId root = ranks.get((int) (number / BROADCAST_EVERY % ranks.size()));
        return Signature.broadcast(DataType.FLOAT32, 10, root);
    }

    /** Calls that overlap need not know the same ranks, so they have no root. */
    private Signature part(long count, List<NodeId> ranks) {
        Signature.Kind kind =
                world.depth == 1 ? PARTS.get((int) (count % PARTS.size())) : Signature.Kind.REDUCE_SCATTER;
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

    /** A bit of the model flips before the next step begins, if there is one. */
    boolean flipsBeforeNext() {
        willFlip = world.hasSteps && revision > 0;
        return willFlip;
    }

    /** Flips what was to flip, once nothing but the beginning of a step comes next. */
    void flip(NodeProcess process) {
        if (willFlip && sumsLeft == 0) {
            willFlip = false;
            long flipped = models.removeLast() ^ 1L << world.random.nextInt(Long.SIZE);
            models.add(flipped);
            world.results.flipped(flipped);
            world.trace(process, () -> "has a wrong bit in its model");
        }
    }

    /** Steps that began. */
    long begun() {
        return begun;
    }

    /** When the newest of them did. */
    long begunNanos() {
        return begunNanos;
    }

    /** What goes into the call of a number. */
    long model(long number) {
        return world.hasSteps
                ? models.getLast()
                : models.get((int) Math.min(models.size() - 1, Math.max(0, number - world.depth)));
    }

    /** Numbers of which the model knows, without steps. */
    long numbers() {
        return models.size() - 1L;
    }

    /** A sum ended, with -1 where there is none. */
    void summed(long value) {
        long next = 31 * models.getLast() + value;
        if (world.hasSteps) {
            models.clear();
            sumsLeft--;
        }
        models.add(next);
    }

    /** What this member says at the beginning of a step of that lineage. */
    Frame.Claim claim(String lineage) {
        return new Frame.Claim(revision, models.getLast(), !lineage.equals(passedIn));
    }

    /** The state of others is the own one now. */
    void takeOver(long model) {
        models.clear();
        models.add(model);
    }

    /** The state that a step is to begin with has this number, whatever it was here. */
    void agree(long agreedRevision) {
        revision = agreedRevision;
    }

    /** A step began with what all agreed on. */
    void begin(String lineage, long agreedModel) {
        Violation.unless(
                models.getLast() == agreedModel, "I8", "a step begins with another state than the one agreed on");
        passedIn = lineage;
        begun++;
        begunNanos = world.now();
        revision++; // of the state that this step makes
        sumsLeft = Math.floorMod(agreedModel + revision, SUMS_MAX); // the same on all
    }

    /** The step that it was in is over without an end; what it computed does not count. */
    void interrupt() {
        sumsLeft = 0;
        passedIn = "";
    }
}
