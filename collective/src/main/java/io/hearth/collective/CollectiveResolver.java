package io.hearth.collective;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What the view change asks of the collectives, from the reports of the members that stay.
 *
 * <p>A number that ended at one of them and not at all of them goes to the rest from the first member that holds it, with its
 * original contributors. This is decided anew at every change: a holder that is gone by then is simply not among the reports.
 * Rule I6 of retention (each keeps the last W results, and nobody is more than W behind) makes sure that somebody holds it.
 *
 * <p>The new group epoch also gets its ring, from the round trips that the kept members measured.
 */
public final class CollectiveResolver implements Resolver {
    @Override
    public Optional<String> refusal(String group, List<Report> kept) {
        return entry(statuses(kept)).isPresent()
                ? Optional.empty()
                : Optional.of(
                        "group '" + group + "' is in the middle of a step; it admits trainers when the next begins");
    }

    @Override
    public Optional<String> broken(String group, List<Report> kept) {
        return statuses(kept).stream()
                .flatMap(status -> status.broken().stream())
                .findFirst();
    }

    @Override
    public Bytes resolve(String group, List<Member> members, List<Report> kept) {
        List<Status> statuses = statuses(kept);
        long first = entry(statuses)
                .orElse(statuses.stream().mapToLong(Status::called).max().orElse(0) + 1);
        long doneByAll = statuses.stream().mapToLong(Status::doneUpTo).min().orElse(0);
        var forwards = new TreeMap<Long, Resolution.Forward>();
        var refused = new TreeMap<Long, Resolution.Refused>();
        for (int rank = 0; rank < statuses.size(); rank++) {
            for (Status.Kept result : statuses.get(rank).kept()) {
                long number = result.number();
                if (number <= doneByAll) {
                    continue;
                }
                result.refusal()
                        .ifPresent(refusal -> refused.putIfAbsent(number, new Resolution.Refused(number, refusal)));
                forwards.putIfAbsent(
                        number,
                        new Resolution.Forward(
                                number, kept.get(rank).member().node(), result.contributors(), result.bytes()));
            }
        }
        refused.keySet().forEach(forwards::remove); // nothing to carry: the refusal itself is all there is
        return CollectiveMessages.encode(new Resolution(
                first,
                newest(List.copyOf(forwards.values())),
                newest(List.copyOf(refused.values())),
                order(members, kept, statuses)));
    }

    /** The number at whose beginning all of them wait; empty if that is not so. */
    private static OptionalLong entry(List<Status> statuses) {
        long common = 1;
        for (int rank = 0; rank < statuses.size(); rank++) {
            OptionalLong entry = statuses.get(rank).entry();
            if (entry.isEmpty() || (rank > 0 && entry.getAsLong() != common)) {
                return OptionalLong.empty();
            }
            common = entry.getAsLong();
        }
        return OptionalLong.of(common);
    }

    private static List<Integer> order(List<Member> members, List<Report> kept, List<Status> statuses) {
        var measured = new TreeMap<NodeId, RoundTrips>();
        for (int rank = 0; rank < statuses.size(); rank++) {
            measured.put(kept.get(rank).member().node(), statuses.get(rank).roundTrips());
        }
        return RingPlan.order(members.stream().map(Member::node).toList(), measured);
    }

    private static <T> List<T> newest(List<T> rising) {
        return rising.subList(Math.max(0, rising.size() - Status.KEPT_MAX), rising.size());
    }

    /** A report that is not one says nothing: its member has done nothing that the others know of. */
    private static List<Status> statuses(List<Report> kept) {
        var statuses = new ArrayList<Status>(kept.size());
        for (Report report : kept) {
            try {
                statuses.add(CollectiveMessages.status(report.status()));
            } catch (MalformedMessageException unreadable) {
                statuses.add(new Status(
                        0,
                        0,
                        List.of(),
                        Optional.of("the report of " + report.member().node().shortText() + " cannot be read")));
            }
        }
        return statuses;
    }
}
