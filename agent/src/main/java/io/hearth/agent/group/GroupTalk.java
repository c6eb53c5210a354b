package io.hearth.agent.group;

import io.hearth.agent.group.machine.GroupPlaces;
import io.hearth.agent.group.machine.TrainerNote;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.RankBounds;
import io.hearth.collective.engine.CollectiveEngine;
import io.hearth.collective.group.GroupActivity;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exchanges trainer notes with linked nodes, and passes the conclusions to the collectives. Owner thread only. */
public final class GroupTalk {
    private static final Logger LOG = LoggerFactory.getLogger(GroupTalk.class);

    private final NodeId self;
    private final String group;
    private final RankBounds bounds;
    private final Optional<CollectiveEngine> engine;
    private final BiConsumer<NodeId, byte[]> messenger;
    private final Set<NodeId> linked = new HashSet<>();
    private final SortedMap<NodeId, TrainerNote> notes = new TreeMap<>(); // of linked trainers of this group
    private GroupPlaces places = new GroupPlaces(GroupActivity.IDLE, false, false);
    private Optional<TrainerNote> sent = Optional.empty();

    /**
     * An exchange without any notes yet.
     *
     * @param engine of a trainer; empty for an agent, which sends nothing
     * @param messenger sends a note on the link to a node; lost if there is none
     */
    public GroupTalk(
            NodeId self,
            String group,
            RankBounds bounds,
            Optional<CollectiveEngine> engine,
            BiConsumer<NodeId, byte[]> messenger) {
        this.self = self;
        this.group = group;
        this.bounds = bounds;
        this.engine = engine;
        this.messenger = messenger;
    }

    public void admitted(NodeId node) {
        linked.add(node);
        notes.remove(node); // from another start of the node
    }

    /** Tells a linked node this node's note. */
    public void tell(NodeId node) {
        sent.ifPresent(note -> messenger.accept(node, note.encode()));
    }

    public void lost(NodeId node) {
        linked.remove(node);
        notes.remove(node);
    }

    public void heard(NodeId node, byte[] bytes) throws MalformedMessageException {
        TrainerNote note = TrainerNote.decode(bytes);
        if (linked.contains(node) && note.group().equals(group)) {
            notes.put(node, note);
        }
    }

    /**
     * Sends this trainer's note if it changed, and passes new conclusions to the collectives.
     *
     * @param stepAside takes this node out of its view; called when the group is full without it
     */
    public void drive(View view, Runnable stepAside) {
        if (engine.isEmpty()) {
            return;
        }
        CollectiveEngine collectives = engine.get();
        List<NodeId> inView = view.group(group).stream().map(Member::node).toList();
        GroupPlaces now = GroupPlaces.of(self, note(collectives), inView, notes);
        if (now.spare() && inView.size() > 1 && !collectives.mayStepAside()) {
            now = new GroupPlaces(now.elsewhere(), now.meetsStep(), false); // not during its work
        }
        if (!now.equals(places)) {
            if (now.spare() != places.spare()) {
                LOG.info(
                        now.spare()
                                ? "group '{}' has all the ranks that it may have: this node is a spare"
                                : "group '{}' has a place for this node",
                        group);
            }
            places = now;
            collectives.hear(now.elsewhere(), now.meetsStep(), now.spare());
        }
        TrainerNote note = note(collectives);
        if (!sent.equals(Optional.of(note))) {
            sent = Optional.of(note);
            byte[] bytes = note.encode();
            linked.forEach(node -> messenger.accept(node, bytes));
        }
        if (now.spare() && inView.size() > 1) {
            stepAside.run();
        }
    }

    private TrainerNote note(CollectiveEngine collectives) {
        int least = Math.clamp(Math.max(bounds.least(), collectives.leastRanks()), 1, bounds.most());
        return new TrainerNote(group, least, bounds.most(), collectives.activity(), places.spare());
    }

    /** Other linked trainers of the group, with their notes. */
    public List<ClusterStatus.Trainer> trainers(View view) {
        return notes.entrySet().stream()
                .map(entry -> new ClusterStatus.Trainer(
                        entry.getKey(),
                        view.member(entry.getKey()).isPresent(),
                        entry.getValue().activity(),
                        entry.getValue().least(),
                        entry.getValue().spare()))
                .toList();
    }

    /** Whether the group is full without this trainer. */
    public boolean isSpare() {
        return places.spare();
    }
}
