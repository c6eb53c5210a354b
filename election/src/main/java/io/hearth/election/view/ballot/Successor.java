package io.hearth.election.view.ballot;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.election.GroupView;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.view.entry.Admissions;
import io.hearth.election.view.entry.BetterLineage;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.GroupRejection;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Builds the next view from the members' answers to one ballot, and from none of their other messages. */
public final class Successor {
    private static final int VIEW_BYTES_SPARE = 1_024; // ballot, tags, and a resolution that grows a little

    private final Transition transition;
    private final View view;
    private final Campaign.Preparing preparing;
    private final List<Member> kept;

    private Successor(Transition transition, Campaign.Preparing preparing) {
        this.transition = transition;
        this.view = transition.view();
        this.preparing = preparing;
        this.kept = kept(transition, preparing);
    }

    /** The view to propose; empty if this node would not be in it. */
    static Optional<View> of(Transition transition, Campaign.Preparing preparing) {
        var successor = new Successor(transition, preparing);
        return successor.kept.stream().anyMatch(transition::isSelf) ? Optional.of(successor.build()) : Optional.empty();
    }

    /** Members that answered this ballot with a status and stay; a suspicion removes no member that answered. */
    private static List<Member> kept(Transition transition, Campaign.Preparing preparing) {
        Set<NodeId> broken = MemberStatus.brokenMembers(transition);
        var kept = new ArrayList<Member>();
        for (Member member : transition.view().members()) {
            boolean stays = status(preparing, member)
                    .filter(status -> !status.leaving())
                    .isPresent();
            if (stays
                    && !transition.isOut(member)
                    && !broken.contains(member.node())
                    && !MemberStatus.isAbandoner(transition, member.node())) {
                kept.add(member);
            }
        }
        return kept;
    }

    /** The status with which a member answered this ballot. */
    private static Optional<Message.Status> status(Campaign.Preparing preparing, Member member) {
        return preparing.answers().getOrDefault(member.node(), Optional.empty());
    }

    private View build() {
        if (BetterLineage.dissolution(transition).isPresent()) {
            Optional<String> refusal = anyRefusal();
            if (refusal.isEmpty()) {
                return new View(view.lineage(), view.epoch() + 1, List.of(), List.of());
            }
            transition.admission = transition.admission.dissolveNotBefore(
                    transition.now + transition.config.joining().dissolveNanos());
        }
        var members = new ArrayList<>(kept);
        members.addAll(entrants());
        members.sort(Member.ORDER);
        return new View(view.lineage(), view.epoch() + 1, members, groups(members));
    }

    private Optional<String> anyRefusal() {
        return ViewRules.groupNames(view).stream()
                .flatMap(group -> refusal(group).stream())
                .findFirst();
    }

    /** Why a group admits no trainers and must not end; empty for a group without a kept member. */
    private Optional<String> refusal(String group) {
        List<Resolver.Report> reports = reports(group);
        return reports.isEmpty() ? Optional.empty() : transition.resolver.refusal(group, reports);
    }

    private List<Resolver.Report> reports(String group) {
        var reports = new ArrayList<Resolver.Report>();
        for (Member member : kept) {
            if (member.role() == Role.TRAINER && member.group().equals(group)) {
                status(preparing, member)
                        .ifPresent(status -> reports.add(new Resolver.Report(member, status.collective())));
            }
        }
        return reports;
    }

    /** Joining nodes that may enter; never more new machines than kept ones, so that their deaths cannot cost the quorum. */
    private List<Member> entrants() {
        SortedMap<PeerId, Long> seats = new TreeMap<>();
        Set<NodeId> nodes = new TreeSet<>();
        for (Member member : kept) {
            seats.put(member.machine(), member.seat());
            nodes.add(member.node());
        }
        int machinesMax = 2 * seats.size();
        Map<String, Optional<String>> refusals = new TreeMap<>();
        var entrants = new ArrayList<Member>();
        for (Member joiner : Admissions.entrants(transition, view.epoch() + 1)) {
            Long seat = seats.get(joiner.machine());
            boolean hasSeat = seat == null ? seats.size() < machinesMax : seat == joiner.seat();
            boolean hasRoom = kept.size() + entrants.size() < View.MEMBERS_MAX && fits(entrants, joiner);
            if (!hasSeat || !hasRoom || nodes.contains(joiner.node())) {
                continue;
            }
            Optional<String> refusal = joiner.role() == Role.AGENT
                    ? Optional.empty()
                    : refusals.computeIfAbsent(joiner.group(), this::refusal);
            if (refusal.isEmpty()) {
                seats.put(joiner.machine(), joiner.seat());
                nodes.add(joiner.node());
                entrants.add(joiner);
            }
        }
        refusals.forEach((group, refusal) ->
                refusal.ifPresent(why -> transition.admission = transition.admission.refused(
                        group,
                        new GroupRejection(
                                why,
                                transition.now + transition.config.joining().refusedNanos()))));
        return entrants;
    }

    /** Accept carries two views in one frame. */
    private boolean fits(List<Member> entrants, Member joiner) {
        var members = new ArrayList<>(kept);
        members.addAll(entrants);
        members.add(joiner);
        return new View(view.lineage(), view.epoch() + 1, members, view.groups()).wireBytesMax()
                <= BoundedDecoder.Limits.CONTROL.frameBytesMax() / 2 - VIEW_BYTES_SPARE;
    }

    private List<GroupView> groups(List<Member> members) {
        var next = new View(view.lineage(), view.epoch() + 1, members, List.of());
        var groups = new ArrayList<GroupView>();
        for (String name : ViewRules.groupNames(next)) {
            groups.add(group(name, next));
        }
        return groups;
    }

    private GroupView group(String name, View next) {
        List<Resolver.Report> reports = reports(name);
        Optional<GroupView> before = view.groupView(name);
        if (before.isPresent()
                && view.group(name).equals(next.group(name))
                && transition.resolver.broken(name, reports).isEmpty()) {
            return before.get();
        }
        Bytes resolution = transition.resolver.resolve(name, next.group(name), reports);
        return new GroupView(name, next.epoch(), resolution);
    }
}
