package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.replicated.CommandKey;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which commands were applied, for each node that sent one.
 *
 * @param byNode at most {@link #NODES_MAX}
 * @param floor incarnations up to this one belong to nodes that were dropped for want of room
 */
record Sessions(SortedMap<NodeId, Session> byNode, long floor) {
    static final int NODES_MAX = 4_096;
    static final Sessions NONE = new Sessions(Collections.emptySortedMap(), -1);

    Sessions {
        byNode = Collections.unmodifiableSortedMap(byNode);
    }

    /** What is known of a command. */
    sealed interface Known {
        /** It was not applied, and may be. */
        record New() implements Known {}

        /** It was applied, with this answer. */
        record Applied(Bytes answer) implements Known {}

        /** It must not be applied. */
        record Outdated() implements Known {}
    }

    Known known(CommandKey key) {
        Session session = byNode.get(key.origin());
        if (session == null) {
            return key.incarnation() <= floor ? new Known.Outdated() : new Known.New();
        }
        if (key.incarnation() != session.incarnation()) {
            return key.incarnation() < session.incarnation() ? new Known.Outdated() : new Known.New();
        }
        Bytes answer = session.answers().get(key.number());
        if (answer != null) {
            return new Known.Applied(answer);
        }
        return key.number() <= session.answered() ? new Known.Outdated() : new Known.New();
    }

    /** After the command was applied by this entry. */
    Sessions applied(CommandKey key, Bytes answer, long entry) {
        Session session = byNode.get(key.origin());
        if (session == null || session.incarnation() != key.incarnation()) {
            session = Session.of(key.incarnation());
        }
        var more = new TreeMap<>(byNode);
        more.put(key.origin(), session.acknowledge(key.answered()).answer(key.number(), answer, entry));
        return bounded(more, floor);
    }

    /** What either of two stores knows. */
    Sessions join(Sessions other) {
        var both = new TreeMap<>(byNode);
        other.byNode.forEach((node, session) -> both.merge(node, session, Session::join));
        return bounded(both, Math.max(floor, other.floor));
    }

    private static Sessions bounded(TreeMap<NodeId, Session> sessions, long floor) {
        long raised = floor;
        while (sessions.size() > NODES_MAX) {
            Map.Entry<NodeId, Session> oldest = sessions.entrySet().stream()
                    .min(Comparator.comparingLong(entry -> entry.getValue().used()))
                    .orElseThrow();
            raised = Math.max(raised, oldest.getValue().incarnation());
            sessions.remove(oldest.getKey());
        }
        return new Sessions(sessions, raised);
    }
}
