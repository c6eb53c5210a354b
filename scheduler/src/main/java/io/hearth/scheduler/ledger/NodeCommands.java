package io.hearth.scheduler.ledger;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.ledger.SchedulerLedger.Node;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.Optional;

/** Commands about nodes. All of them may be repeated. */
final class NodeCommands {
    private NodeCommands() {}

    static Optional<Failure> register(Draft draft, NodeSpec spec) {
        if (!draft.nodes.containsKey(spec.id()) && draft.nodes.size() >= Bounds.NODES_MAX && !forgetOne(draft)) {
            return Draft.refuse(
                    Failure.Code.RESOURCE_EXHAUSTED,
                    Bounds.NODES_MAX + " nodes are registered already: let one leave first");
        }
        draft.nodes = draft.nodes.plus(spec.id(), new Node(spec, false));
        come(draft, spec.id());
        return Optional.empty();
    }

    /** Forgets a node that fell silent and is in no job that goes on. */
    static boolean forgetOne(Draft draft) {
        Optional<String> idle = draft.nodes.entrySet().stream()
                .filter(entry -> entry.getValue().isAway()
                        && goingOn(draft, entry.getKey()).isEmpty())
                .map(entry -> entry.getKey())
                .findFirst();
        idle.ifPresent(id -> draft.nodes = draft.nodes.minus(id));
        return idle.isPresent();
    }

    static Optional<Failure> away(Draft draft, String id) {
        Node node = draft.nodes.get(id);
        if (node == null) {
            return Draft.noNode(id);
        }
        draft.nodes = draft.nodes.plus(id, new Node(node.spec(), true));
        go(draft, id);
        return Optional.empty();
    }

    static Optional<Failure> back(Draft draft, String id) {
        Node node = draft.nodes.get(id);
        if (node == null) {
            return Draft.noNode(id);
        }
        draft.nodes = draft.nodes.plus(id, new Node(node.spec(), false));
        come(draft, id);
        return Optional.empty();
    }

    static Optional<Failure> leave(Draft draft, String id) {
        draft.nodes = draft.nodes.minus(id);
        go(draft, id);
        return Optional.empty();
    }

    private static void go(Draft draft, String id) {
        for (Job job : goingOn(draft, id)) {
            int index = job.indexOf(id);
            Job without = job.with(index, job.members().get(index).with(true));
            draft.put(JobCommands.concluded(Balance.settle(draft, without)));
        }
    }

    private static void come(Draft draft, String id) {
        for (Job job : goingOn(draft, id)) {
            int index = job.indexOf(id);
            if (job.members().get(index).isAway()) {
                Job with = job.with(index, job.members().get(index).with(false));
                draft.put(Balance.fill(draft, Balance.settle(draft, with), List.of(index)));
            }
        }
    }

    private static List<Job> goingOn(Draft draft, String node) {
        return draft.jobs.values().stream()
                .filter(job -> !job.state().isOver() && job.indexOf(node) >= 0)
                .toList();
    }
}
