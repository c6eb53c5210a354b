package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The one lineage in which this node lives, by its newest committed view known.
 *
 * @param view lists this node as it entered
 * @param learnedNanos when
 * @param knownSince members by node, and when a view first listed them as they are
 */
record Home(View view, long learnedNanos, SortedMap<NodeId, Long> knownSince) {
    static Home founded(View view, long now) {
        return new Home(view, now, since(view, new TreeMap<>(), view, now));
    }

    Home succeededBy(View next, long now) {
        return new Home(next, now, since(view, knownSince, next, now));
    }

    private static SortedMap<NodeId, Long> since(View before, SortedMap<NodeId, Long> known, View next, long now) {
        var since = new TreeMap<NodeId, Long>();
        for (Member member : next.members()) {
            boolean stayed = before.member(member.node()).filter(member::equals).isPresent();
            since.put(member.node(), stayed ? known.getOrDefault(member.node(), now) : now);
        }
        return since;
    }

    Lineage lineage() {
        return view.lineage();
    }

    long knownSince(NodeId node) {
        return knownSince.getOrDefault(node, learnedNanos);
    }

    boolean isLone() {
        return view.members().size() == 1;
    }
}
