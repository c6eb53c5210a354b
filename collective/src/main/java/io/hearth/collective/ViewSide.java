package io.hearth.collective;

import io.hearth.core.Bytes;
import io.hearth.core.HearthException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.election.GroupView;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The life of a group's epochs: the side of an engine that whoever runs the view change calls. Turns committed views into events of
 * the {@link GroupMachine}, and knows what was measured to other nodes. What each call means is said at {@link CollectiveEngine}.
 */
final class ViewSide {
    private final String group;
    private final NodeId self;
    private final GroupShell shell;
    private volatile Map<NodeId, Long> roundTripNanos = Map.of(); // by whoever runs the view change, for callers

    ViewSide(String group, NodeId self, GroupShell shell) {
        this.group = group;
        this.self = self;
        this.shell = shell;
    }

    /** To other nodes, as far as somebody measured. */
    Map<NodeId, Long> roundTripNanos() {
        return roundTripNanos;
    }

    void measured(Map<NodeId, Long> nanos) {
        roundTripNanos = Map.copyOf(nanos);
    }

    Bytes freeze(String lineage, long epoch) {
        return CollectiveMessages.encode(shell.freeze(lineage, epoch).measured(RoundTrips.of(roundTripNanos)));
    }

    void install(String lineage, View view) {
        List<NodeId> members = view.group(group).stream().map(Member::node).toList();
        Optional<GroupView> groupView = view.groupView(group);
        if (!members.contains(self) || groupView.isEmpty()) {
            removed(new RemovedFromClusterException("epoch " + view.epoch() + " goes on without this node"));
            return;
        }
        if (!shell.state().mayGoOnIn(lineage)) {
            removed(new RemovedFromClusterException(
                    "this training had begun alone when the node joined others at epoch " + view.epoch()));
        }
        shell.pairs().installed(lineage, view.group(group));
        try {
            shell.install(new GroupMachine.Event.Installed(
                    new GroupMachine.Frozen(lineage, view.epoch()),
                    lineage + "/" + groupView.get().epoch(),
                    members,
                    view.members().size() > 1,
                    CollectiveMessages.resolution(groupView.get().resolution())));
        } catch (MalformedMessageException malformed) {
            removed(malformed);
        }
    }

    void removed(HearthException why) {
        shell.removed(why);
        shell.pairs().over(why);
    }
}
