package io.hearth.scheduler.ledger;

import io.hearth.scheduler.NodeSpec;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/**
 * What survives the machine of a scheduler.
 *
 * @param nodes by id
 * @param jobs by name
 * @param jobsEver jobs that were accepted
 * @param term the highest that a shard was given under
 */
public record SchedulerLedger(PSortedMap<String, Node> nodes, PSortedMap<String, Job> jobs, long jobsEver, long term) {
    /** Nothing happened yet. */
    public static final SchedulerLedger EMPTY = new SchedulerLedger(TreePMap.empty(), TreePMap.empty(), 0, 0);

    /**
     * A node that registered and has not left.
     *
     * @param isAway whether it fell silent
     */
    public record Node(NodeSpec spec, boolean isAway) {}
}
