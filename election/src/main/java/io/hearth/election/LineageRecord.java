package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a voter keeps on disk of one lineage; without it, it never votes there.
 *
 * @param lineage which
 * @param entries own incarnations that asked to enter, ascending, the newest {@link #ENTRIES_MAX}
 * @param view newest committed view known; empty until one was learned
 * @param promised highest ballot for the view's successor that was promised
 * @param accepted proposal for the view's successor that was accepted last
 */
public record LineageRecord(
        Lineage lineage,
        List<Long> entries,
        Optional<View> view,
        Optional<Ballot> promised,
        Optional<Proposal> accepted) {
    /** Most incarnations kept; forgetting an older one only takes its vote away. */
    public static final int ENTRIES_MAX = 64;

    public LineageRecord {
        entries = List.copyOf(entries);
        if (entries.size() > ENTRIES_MAX) {
            throw new IllegalArgumentException(
                    "a record keeps at most " + ENTRIES_MAX + " incarnations, got " + entries.size());
        }
        if (view.isEmpty() && (promised.isPresent() || accepted.isPresent())) {
            throw new IllegalArgumentException("a promise needs the view whose successor it is for");
        }
    }

    /** A record that only says that {@code incarnation} is going to ask for entry. */
    static LineageRecord asking(Lineage lineage, long incarnation) {
        return new LineageRecord(lineage, List.of(incarnation), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** With one more incarnation that is going to ask for entry. */
    LineageRecord entering(long incarnation) {
        if (entries.contains(incarnation)) {
            return this;
        }
        List<Long> more =
                Stream.concat(entries.stream(), Stream.of(incarnation)).sorted().toList();
        return new LineageRecord(
                lineage, more.subList(Math.max(0, more.size() - ENTRIES_MAX), more.size()), view, promised, accepted);
    }

    /** A newer committed view: promises for its predecessor's successor are history. */
    LineageRecord learned(View newer) {
        return new LineageRecord(lineage, entries, Optional.of(newer), Optional.empty(), Optional.empty());
    }

    LineageRecord promise(Ballot ballot) {
        return new LineageRecord(lineage, entries, view, Optional.of(ballot), accepted);
    }

    LineageRecord accept(Proposal proposal) {
        return new LineageRecord(lineage, entries, view, Optional.of(proposal.ballot()), Optional.of(proposal));
    }

    /** Whether {@code node} is the only member of the newest view known, so that its vote alone decides the successor. */
    boolean isOwnedBy(NodeId node) {
        return view.isPresent() && view.get().members().size() == 1 && isListed(node);
    }

    /** The owner decides: what it accepted already, else that the lineage is over. */
    LineageRecord ended() {
        View last = view.orElseThrow();
        return learned(accepted.map(Proposal::view)
                .orElseGet(() -> new View(lineage, last.epoch() + 1, List.of(), List.of())));
    }

    /** Whether {@code ballot} is below what was promised. */
    boolean forbids(Ballot ballot) {
        return promised.isPresent() && ballot.compareTo(promised.get()) < 0;
    }

    /** Whether the newest view known lists {@code node} as one of the entries, so that its vote still matters. */
    boolean isListed(NodeId node) {
        return view.flatMap(known -> known.member(node))
                .filter(member -> entries.contains(member.incarnation()))
                .isPresent();
    }
}
