package io.hearth.collective.group;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The collectives' part of a view change, computed from the reports of the members that stay.
 *
 * <p>If a number ended at some of them but not at all, the first member that holds its result forwards it to the others, with its original
 * contributors. Each change decides this again: a holder that is gone by then is simply not among the reports. Rule I6 of retention ensures
 * that a holder exists: each member keeps the last W results, and no member is more than W behind.
 *
 * <p>The new group epoch also gets its plan, from what the remaining members measured.
 *
 * <p>The numbers of each subgroup are decided in the same way, from the reports of its members. A member that has yet to make the subgroup
 * reports nothing of it; then no number of it has a result on any member, because a result takes the bytes of all.
 *
 * <p><b>Reports that cannot be true.</b> A member that lies, or whose memory has a bit error, must end neither this node nor the work of
 * the others. So every list of reports has a resolution:
 *
 * <ul>
 *   <li>Members of one group are at most {@link Status#KEPT_MAX} numbers apart. If reports are further apart, the reports count that most
 *       others agree with; among equals, those that agree with the most senior member. A report that does not count or cannot be read is
 *       ignored: no result is forwarded from its member or because of it, and the other members repeat no work because of it.
 *   <li>A member that finished a number knows that all called it. So a result of a number that no other member called is not forwarded. A
 *       rejection may be ahead of the calls, but by no more numbers than may be open.
 *   <li>While a report does not count, no trainer enters, and the streams are opened again: the member may have failed to report a broken
 *       stream.
 * </ul>
 */
public final class CollectiveResolver implements Resolver {
    /**
     * A checked report about a group or a subgroup; one that does not count has a reason and an empty status.
     *
     * @param subgroups of a report that could be read
     */
    private record CheckedReport(
            Member member, Status status, Map<SubgroupId, Status> subgroups, Optional<String> fault) {
        static CheckedReport rejected(Member member, String why) {
            String fault = "the report of " + member.node().shortText() + " " + why;
            return new CheckedReport(
                    member, new Status(0, 0, List.of(), Optional.of(fault)), Map.of(), Optional.of(fault));
        }

        boolean counts() {
            return fault.isEmpty();
        }

        /** The same member's report about a subgroup; empty if it has no call there. */
        Optional<CheckedReport> of(SubgroupId id) {
            return Optional.ofNullable(subgroups.get(id))
                    .map(status -> new CheckedReport(member, status, Map.of(), Optional.empty()));
        }
    }

    @Override
    public Optional<String> refusal(String group, List<Report> kept) {
        List<CheckedReport> reports = checked(kept);
        Optional<String> fault =
                reports.stream().flatMap(each -> each.fault().stream()).findFirst();
        if (fault.isPresent()) {
            return Optional.of("group '" + group + "' admits no trainers now: " + fault.get());
        }
        return entry(reports).isPresent()
                ? Optional.empty()
                : Optional.of(
                        "group '" + group + "' is in the middle of a step; it admits trainers when the next begins");
    }

    @Override
    public Optional<String> broken(String group, List<Report> kept) {
        return checked(kept).stream()
                .flatMap(each -> each.status().broken().stream())
                .findFirst();
    }

    @Override
    public Bytes resolve(String group, List<Member> members, List<Report> kept) {
        List<CheckedReport> reports =
                checked(kept).stream().filter(CheckedReport::counts).toList();
        var subgroups = new TreeMap<SubgroupId, Resolution>();
        for (SubgroupId id : reports.stream()
                .flatMap(each -> each.subgroups().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new))) {
            Resolution decided = resolve(consistent(
                    reports.stream().flatMap(each -> each.of(id).stream()).toList()));
            if (subgroups.size() < GroupDecision.SUBGROUPS_MAX
                    && !(decided.forwards().isEmpty() && decided.refused().isEmpty())) {
                subgroups.put(id, decided);
            }
        }
        return CollectiveMessages.encode(
                new GroupDecision(resolve(reports).planned(plan(members, reports)), subgroups));
    }

    /** The decision about the numbers of a group or a subgroup, from the reports that count. */
    private static Resolution resolve(List<CheckedReport> all) {
        List<CheckedReport> reports = all.stream().filter(CheckedReport::counts).toList();
        long called =
                reports.stream().mapToLong(each -> each.status().called()).max().orElse(0);
        long doneByAll = reports.stream()
                .mapToLong(each -> each.status().doneUpTo())
                .min()
                .orElse(0);
        var forwards = new TreeMap<Long, Resolution.Forward>();
        var refused = new TreeMap<Long, Resolution.Rejected>();
        for (CheckedReport each : reports) {
            for (Status.Kept result : each.status().kept()) {
                long number = result.number();
                if (number <= doneByAll || number > highestCredible(each, reports, result.refusal())) {
                    continue;
                }
                if (result.refusal().isPresent()) {
                    refused.putIfAbsent(
                            number,
                            new Resolution.Rejected(number, result.refusal().get()));
                } else if (result.contributors() > 0) {
                    forwards.putIfAbsent(
                            number,
                            new Resolution.Forward(
                                    number, each.member().node(), result.contributors(), result.bytes()));
                }
            }
        }
        refused.keySet().forEach(forwards::remove); // a rejection has no result to forward
        return new Resolution(
                entry(reports).orElse(called + 1),
                newest(List.copyOf(forwards.values())),
                newest(List.copyOf(refused.values())));
    }

    /** The highest number that may have ended at this member, according to the numbers that the others called. */
    private static long highestCredible(
            CheckedReport self, List<CheckedReport> reports, Optional<CallRejection> refusal) {
        OptionalLong others = reports.stream()
                .filter(each -> !each.equals(self))
                .mapToLong(each -> each.status().called())
                .max();
        return others.isEmpty() ? Long.MAX_VALUE : others.getAsLong() + (refusal.isPresent() ? Status.KEPT_MAX : 0);
    }

    /** The number at whose beginning all of them wait; empty if they do not all wait at one number. */
    private static OptionalLong entry(List<CheckedReport> reports) {
        long common = 1;
        for (int rank = 0; rank < reports.size(); rank++) {
            OptionalLong entry = reports.get(rank).status().entry();
            if (entry.isEmpty() || (rank > 0 && entry.getAsLong() != common)) {
                return OptionalLong.empty();
            }
            common = entry.getAsLong();
        }
        return OptionalLong.of(common);
    }

    private static Plan plan(List<Member> members, List<CheckedReport> reports) {
        var measured = new TreeMap<NodeId, MeasuredLinks>();
        for (CheckedReport each : reports) {
            measured.put(each.member().node(), each.status().links());
        }
        return GroupPlan.of(members.stream().map(Member::node).toList(), measured);
    }

    private static <T> List<T> newest(List<T> rising) {
        return rising.subList(Math.max(0, rising.size() - Status.KEPT_MAX), rising.size());
    }

    private static List<CheckedReport> checked(List<Report> kept) {
        return consistent(kept.stream().map(CollectiveResolver::read).toList());
    }

    /** The same reports; those that do not agree with most of them do not count. */
    private static List<CheckedReport> consistent(List<CheckedReport> read) {
        Optional<CheckedReport> reference = reference(read);
        if (reference.isEmpty()) {
            return read;
        }
        Status others = reference.get().status();
        return read.stream()
                .map(each -> !each.counts() || agree(each, reference.get())
                        ? each
                        : CheckedReport.rejected(
                                each.member(),
                                "says that it is at number " + each.status().doneUpTo() + ", others are at "
                                        + others.doneUpTo()))
                .toList();
    }

    private static CheckedReport read(Report report) {
        StatusReport read;
        try {
            read = CollectiveMessages.statusReport(report.status());
        } catch (MalformedMessageException unreadable) {
            return CheckedReport.rejected(report.member(), "cannot be read");
        }
        return Stream.concat(Stream.of(read.group()), read.subgroups().values().stream())
                        .allMatch(status -> status.called() < Status.NUMBER_MAX)
                ? new CheckedReport(report.member(), read.group(), read.subgroups(), Optional.empty())
                : CheckedReport.rejected(report.member(), "leaves no room for a next number");
    }

    /** The first of the reports that agree with most of those that count. */
    private static Optional<CheckedReport> reference(List<CheckedReport> reports) {
        Optional<CheckedReport> best = Optional.empty();
        long most = 0;
        for (CheckedReport candidate : reports) {
            long agreeing = reports.stream()
                    .filter(each -> each.counts() && candidate.counts() && agree(each, candidate))
                    .count();
            if (agreeing > most) {
                most = agreeing;
                best = Optional.of(candidate);
            }
        }
        return best;
    }

    private static boolean agree(CheckedReport one, CheckedReport other) {
        return Math.abs(one.status().doneUpTo() - other.status().doneUpTo()) <= Status.KEPT_MAX
                && Math.abs(one.status().called() - other.status().called()) <= 2 * Status.KEPT_MAX;
    }
}
