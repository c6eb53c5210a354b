package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Rules that every view must keep, whichever node sends it: the part of the safety argument that does not depend on honest nodes. */
public final class ViewRules {
    /** Largest number on the wire and on disk; only a seat has more bits. */
    public static final long NUMBER_MAX = 1L << 48;

    /** A view that is more than this number of epochs above the newest known one is rejected. */
    public static final long EPOCH_LEAP_MAX = 1_000_000;

    /** Most characters of a group's name. */
    public static final int GROUP_CHARACTERS_MAX = 63;

    private ViewRules() {}

    /** The rule that {@code view} breaks, for people; empty if it keeps all of them. */
    public static Optional<String> fault(View view) {
        if (!isNumber(view.epoch()) || view.epoch() == NUMBER_MAX || !isLineage(view.lineage())) {
            return Optional.of("numbers out of range, or no room for a successor");
        }
        Set<NodeId> nodes = new HashSet<>();
        Map<PeerId, Long> seats = new HashMap<>();
        Member before = null;
        for (Member member : view.members()) {
            if (!isNumber(member.incarnation()) || !isNumber(member.entryEpoch())) {
                return Optional.of("a member's numbers are out of range");
            }
            if (member.entryEpoch() > view.epoch()) {
                return Optional.of("a member entered after the view");
            }
            if (!isGroupName(member.group())) {
                return Optional.of("a group's name is not 1 to 63 of a-z, 0-9 and '-'");
            }
            if (!isSeat(member.seat())) {
                return Optional.of("a member's seat is out of range");
            }
            Long seat = seats.putIfAbsent(member.machine(), member.seat());
            if (seat != null && seat != member.seat()) {
                return Optional.of("a machine has two seats");
            }
            if (!nodes.add(member.node())) {
                return Optional.of("a node is listed twice");
            }
            if (before != null && Member.ORDER.compare(before, member) >= 0) {
                return Optional.of("members are out of order");
            }
            before = member;
        }
        return groupFault(view);
    }

    private static Optional<String> groupFault(View view) {
        Set<String> expected = groupNames(view);
        String before = null;
        for (GroupView group : view.groups()) {
            if (before != null && before.compareTo(group.name()) >= 0) {
                return Optional.of("groups are out of order");
            }
            if (!expected.remove(group.name())) {
                return Optional.of("a group has no member");
            }
            if (!isNumber(group.epoch()) || group.epoch() > view.epoch()) {
                return Optional.of("a group's epoch is out of range");
            }
            if (group.resolution().size() > Resolver.BYTES_MAX) {
                return Optional.of("a group's resolution is too long");
            }
            before = group.name();
        }
        return expected.isEmpty() ? Optional.empty() : Optional.of("a group is missing");
    }

    /** The rule that {@code next} breaks as the successor of {@code view}; both keep the rules of a view. */
    public static Optional<String> successorFault(View view, View next) {
        if (!next.lineage().equals(view.lineage()) || next.epoch() != view.epoch() + 1) {
            return Optional.of("not the next epoch of the lineage");
        }
        return descendantFault(view, next);
    }

    /** The rule that {@code later} breaks as a later view of the same lineage; both keep the rules of a view. */
    public static Optional<String> descendantFault(View view, View later) {
        if (later.epoch() - view.epoch() > EPOCH_LEAP_MAX) {
            return Optional.of("too far ahead");
        }
        for (Member member : later.members()) {
            if (member.entryEpoch() <= view.epoch()
                    && !Objects.equals(view.member(member.node()).orElse(null), member)) {
                return Optional.of("a member came from nowhere");
            }
        }
        return Optional.empty();
    }

    /** Names of the groups that have a member, in order. */
    public static SortedSet<String> groupNames(View view) {
        return view.members().stream()
                .filter(member -> member.role() == Role.TRAINER)
                .map(Member::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    public static boolean isNumber(long number) {
        return number >= 1 && number <= NUMBER_MAX;
    }

    public static boolean isSeat(long seat) {
        return seat >= 1;
    }

    public static boolean isLineage(Lineage lineage) {
        return isNumber(lineage.incarnation())
                && lineage.counter() >= 0
                && lineage.bornMillis() >= -NUMBER_MAX
                && lineage.bornMillis() <= NUMBER_MAX;
    }

    /** Whether a trainer's group may have that name, {@code [a-z0-9-]{1,63}}, or it is the empty one of an agent. */
    public static boolean isGroupName(String name) {
        return name.length() <= GROUP_CHARACTERS_MAX
                && name.chars().allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
    }
}
