package io.hearth.election.view.state;

import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The home lineage of this node, with its newest known committed view.
 *
 * @param first the first view that this process knew
 * @param isRecorded whether the machine's record of it is on disk; a founder starts without
 * @param view the newest one; it lists this node as it entered
 * @param learnedNanos time at which this node learned it
 * @param knownSince by member, the time at which a view first listed it in its present form
 */
public record CurrentView(
        View first, boolean isRecorded, View view, long learnedNanos, SortedMap<NodeId, Long> knownSince) {
    /** A lineage of this node alone, not on disk yet. */
    public static CurrentView founded(View view, long now) {
        return new CurrentView(view, false, view, now, since(view, new TreeMap<>(), view, now));
    }

    /** A lineage that admitted this node; its record has been on disk since before it asked. */
    public static CurrentView entered(View view, long now) {
        return founded(view, now).recorded();
    }

    public CurrentView recorded() {
        return new CurrentView(first, true, view, learnedNanos, knownSince);
    }

    public CurrentView succeededBy(View next, long now) {
        return new CurrentView(first, isRecorded, next, now, since(view, knownSince, next, now));
    }

    private static SortedMap<NodeId, Long> since(View before, SortedMap<NodeId, Long> known, View next, long now) {
        var since = new TreeMap<NodeId, Long>();
        for (Member member : next.members()) {
            boolean stayed = before.member(member.node()).filter(member::equals).isPresent();
            since.put(member.node(), stayed ? known.getOrDefault(member.node(), now) : now);
        }
        return since;
    }

    public Lineage lineage() {
        return view.lineage();
    }

    public long knownSince(NodeId node) {
        return knownSince.getOrDefault(node, learnedNanos);
    }

    public boolean isLone() {
        return view.members().size() == 1;
    }
}
