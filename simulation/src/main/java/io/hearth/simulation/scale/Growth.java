package io.hearth.simulation.scale;

import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.topology.plan.LinkMatrix;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.Planner;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Computes the rows of the tables of growth. */
public final class Growth {
    /** Sizes of a table, where no others are asked for. */
    public static final List<Integer> SIZES = List.of(4, 8, 16, 32, 64, 128, 256, 512, 1_024);

    /** Bytes of the large sum. */
    public static final long LARGE_BYTES = 64L << 20;

    /** Bytes of the small sum. */
    public static final long SMALL_BYTES = 64L << 10;

    /** More members have no view. */
    public static final int MEMBERS_MAX = View.MEMBERS_MAX;

    private Growth() {}

    /**
     * Sums of one network.
     *
     * @param plannedNanos time that the planner took here
     */
    public record Sums(NetworkKind kind, int nodes, long plannedNanos, PlannedSum large, PlannedSum small) {}

    /**
     * A cluster.
     *
     * @param nodes after the join and before the loss
     * @param viewBytes of the view in a Commit
     * @param recordBytes of the vote record on disk
     * @param formNanos until all nodes, started at once, have one view
     * @param limit why there is nothing else; empty where there is
     */
    public record Membership(
            int nodes,
            long viewBytes,
            long recordBytes,
            long formNanos,
            Optional<ChangeCost> join,
            Optional<ChangeCost> loss,
            String limit) {}

    /** Plans for a generated network, and plays a large and a small sum. */
    public static Sums sums(NetworkKind kind, int nodes, long seed, LongSupplier clock) {
        GeneratedNetwork network = GeneratedNetwork.of(kind, nodes, seed);
        LinkMatrix links = network.matrix();
        long began = clock.getAsLong();
        Plan plan = Planner.plan(links).plan();
        long planned = clock.getAsLong() - began;
        return new Sums(
                kind,
                nodes,
                planned,
                PlannedSum.of(network, plan, LARGE_BYTES),
                PlannedSum.of(network, plan, SMALL_BYTES));
    }

    /** Forms a cluster in racks, lets its last node join when the others have a view, and loses that node. */
    public static Membership membership(int nodes, long seed) {
        if (nodes > MEMBERS_MAX) {
            return beyond(nodes);
        }
        var cluster = new GrowingCluster(GeneratedNetwork.of(NetworkKind.RACKS, nodes, seed), seed);
        ChangeCost formed = cluster.form(nodes - 1);
        ChangeCost joined = cluster.join();
        long viewBytes = MessageEncoding.encode(new Message.Commit(cluster.view())).length;
        long recordBytes = cluster.recordBytes();
        ChangeCost lost = cluster.lose();
        return new Membership(
                nodes, viewBytes, recordBytes, formed.nanos(), Optional.of(joined), Optional.of(lost), "");
    }

    private static Membership beyond(int nodes) {
        return new Membership(
                nodes, 0, 0, 0, Optional.empty(), Optional.empty(), "a view has at most " + MEMBERS_MAX + " members");
    }
}
