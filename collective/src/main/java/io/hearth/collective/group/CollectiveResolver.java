package io.hearth.collective.group;

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
 *
 * <p><b>Reports that cannot be true.</b> A member that lies, or whose memory has a bit error, must not end this node nor the others'
 * work, so every list of reports has a resolution:
 *
 * <ul>
 *   <li>Members of one group are at most {@link Status#KEPT_MAX} numbers apart. Of reports that are further apart, those count with
 *       which most others agree; among equals, those of the most senior member. A report that does not count, and one that cannot be
 *       read, says nothing: nothing is brought from its member or for it. It is no reason for the others to repeat anything.
 *   <li>Whoever finished a number knows that all called it. So a result of a number that no other member called is not
 *       forwarded. A refusal may come first, but not further ahead than numbers may be open.
 *   <li>While a report does not count, no trainer enters, and the streams are set up anew: what it did not say may be that one broke.
 * </ul>
 */
public final class CollectiveResolver implements Resolver {
    /** A report; one that does not count has a reason, and a status that says nothing. */
    private record Said(Member member, Status status, Optional<String> fault) {
        static Said nothing(Member member, String why) {
            String fault = "the report of " + member.node().shortText() + " " + why;
            return new Said(member, new Status(0, 0, List.of(), Optional.of(fault)), Optional.of(fault));
        }

        boolean counts() {
            return fault.isEmpty();
        }
    }

    @Override
    public Optional<String> refusal(String group, List<Report> kept) {
        List<Said> said = said(kept);
        Optional<String> fault =
                said.stream().flatMap(each -> each.fault().stream()).findFirst();
        if (fault.isPresent()) {
            return Optional.of("group '" + group + "' admits no trainers now: " + fault.get());
        }
        return entry(said).isPresent()
                ? Optional.empty()
                : Optional.of(
                        "group '" + group + "' is in the middle of a step; it admits trainers when the next begins");
    }

    @Override
    public Optional<String> broken(String group, List<Report> kept) {
        return said(kept).stream()
                .flatMap(each -> each.status().broken().stream())
                .findFirst();
    }

    @Override
    public Bytes resolve(String group, List<Member> members, List<Report> kept) {
        List<Said> all = said(kept);
        List<Said> said = all.stream().filter(Said::counts).toList();
        long called =
                said.stream().mapToLong(each -> each.status().called()).max().orElse(0);
        long doneByAll =
                said.stream().mapToLong(each -> each.status().doneUpTo()).min().orElse(0);
        var forwards = new TreeMap<Long, Resolution.Forward>();
        var refused = new TreeMap<Long, Resolution.Refused>();
        for (Said each : said) {
            for (Status.Kept result : each.status().kept()) {
                long number = result.number();
                if (number <= doneByAll || number > reach(each, said, result.refusal())) {
                    continue;
                }
                if (result.refusal().isPresent()) {
                    refused.putIfAbsent(
                            number,
                            new Resolution.Refused(number, result.refusal().get()));
                } else if (result.contributors() > 0) {
                    forwards.putIfAbsent(
                            number,
                            new Resolution.Forward(
                                    number, each.member().node(), result.contributors(), result.bytes()));
                }
            }
        }
        refused.keySet().forEach(forwards::remove); // nothing to carry: the refusal itself is all there is
        return CollectiveMessages.encode(new Resolution(
                entry(said).orElse(called + 1),
                newest(List.copyOf(forwards.values())),
                newest(List.copyOf(refused.values())),
                order(members, said)));
    }

    /** The highest number that may have ended at this member, by what the others called. */
    private static long reach(Said self, List<Said> said, Optional<CallRejection> refusal) {
        OptionalLong others = said.stream()
                .filter(each -> !each.equals(self))
                .mapToLong(each -> each.status().called())
                .max();
        return others.isEmpty() ? Long.MAX_VALUE : others.getAsLong() + (refusal.isPresent() ? Status.KEPT_MAX : 0);
    }

    /** The number at whose beginning all of them wait; empty if that is not so. */
    private static OptionalLong entry(List<Said> said) {
        long common = 1;
        for (int rank = 0; rank < said.size(); rank++) {
            OptionalLong entry = said.get(rank).status().entry();
            if (entry.isEmpty() || (rank > 0 && entry.getAsLong() != common)) {
                return OptionalLong.empty();
            }
            common = entry.getAsLong();
        }
        return OptionalLong.of(common);
    }

    private static List<Integer> order(List<Member> members, List<Said> said) {
        var measured = new TreeMap<NodeId, RoundTrips>();
        for (Said each : said) {
            measured.put(each.member().node(), each.status().roundTrips());
        }
        return RingPlan.order(members.stream().map(Member::node).toList(), measured);
    }

    private static <T> List<T> newest(List<T> rising) {
        return rising.subList(Math.max(0, rising.size() - Status.KEPT_MAX), rising.size());
    }

    private static List<Said> said(List<Report> kept) {
        var said = new ArrayList<Said>(kept.size());
        for (Report report : kept) {
            said.add(read(report));
        }
        Optional<Said> reference = reference(said);
        if (reference.isPresent()) {
            said.replaceAll(each -> !each.counts() || agree(each, reference.get())
                    ? each
                    : Said.nothing(
                            each.member(),
                            "says that it is at number " + each.status().doneUpTo() + ", others are at "
                                    + reference.get().status().doneUpTo()));
        }
        return said;
    }

    private static Said read(Report report) {
        Status status;
        try {
            status = CollectiveMessages.status(report.status());
        } catch (MalformedMessageException unreadable) {
            return Said.nothing(report.member(), "cannot be read");
        }
        return status.called() < Status.NUMBER_MAX
                ? new Said(report.member(), status, Optional.empty())
                : Said.nothing(report.member(), "leaves no room for a next number");
    }

    /** The first of the reports that agree with most of those that count. */
    private static Optional<Said> reference(List<Said> said) {
        Optional<Said> best = Optional.empty();
        long most = 0;
        for (Said candidate : said) {
            long friends = said.stream()
                    .filter(each -> each.counts() && candidate.counts() && agree(each, candidate))
                    .count();
            if (friends > most) {
                most = friends;
                best = Optional.of(candidate);
            }
        }
        return best;
    }

    private static boolean agree(Said one, Said other) {
        return Math.abs(one.status().doneUpTo() - other.status().doneUpTo()) <= Status.KEPT_MAX
                && Math.abs(one.status().called() - other.status().called()) <= 2 * Status.KEPT_MAX;
    }
}
