package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A committed membership. Rank = position; the master is rank 0. A view without members is a tombstone: its lineage is over.
 *
 * @param lineage the chain it belongs to
 * @param epoch its number in the chain, from 1
 * @param members in {@link Member#ORDER}, no node twice
 * @param groups one entry for each group that has a member, by name
 */
public record View(Lineage lineage, long epoch, List<Member> members, List<GroupView> groups) {
    /** Most members of one view. */
    public static final int MEMBERS_MAX = 256;

    private static final int WIRE_BYTES_OF_VIEW = 160; // lineage and epoch
    private static final int WIRE_BYTES_OF_MEMBER = 80; // key 34, two numbers 18, seat 10, role, tags and lengths
    private static final int WIRE_BYTES_OF_GROUP = 24;

    public View {
        members = List.copyOf(members);
        groups = List.copyOf(groups);
        if (epoch < 1 || members.size() > MEMBERS_MAX) {
            throw new IllegalArgumentException(
                    "need epoch >= 1 and at most " + MEMBERS_MAX + " members, got " + epoch + " and " + members.size());
        }
    }

    /** Whether the lineage ended with this view. */
    public boolean isTombstone() {
        return members.isEmpty();
    }

    /** Rank 0; empty for a tombstone. */
    public Optional<Member> master() {
        return members.stream().findFirst();
    }

    /** The entry of a node, if the view lists it. */
    public Optional<Member> member(NodeId node) {
        for (Member member : members) {
            if (member.node().equals(node)) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }

    /** The trainers of a group in view order; the first is the group's lead and its rank 0. */
    public List<Member> group(String name) {
        var trainers = new ArrayList<Member>();
        for (Member member : members) {
            if (member.role() == Role.TRAINER && member.group().equals(name)) {
                trainers.add(member);
            }
        }
        return trainers;
    }

    /** The entry of a group. */
    public Optional<GroupView> groupView(String name) {
        return groups.stream().filter(group -> group.name().equals(name)).findFirst();
    }

    /** Upper bound of the bytes of this view on the wire. */
    public int wireBytesMax() {
        int bytes = WIRE_BYTES_OF_VIEW;
        for (Member member : members) {
            bytes += WIRE_BYTES_OF_MEMBER
                    + member.node().slot().length()
                    + 4 * member.group().length();
        }
        for (GroupView group : groups) {
            bytes += WIRE_BYTES_OF_GROUP
                    + 4 * group.name().length()
                    + group.resolution().size();
        }
        return bytes;
    }

    /** The machines that vote, in view order of their first member: one vote each, however many members it has. */
    public List<PeerId> machines() {
        return List.copyOf(machineSet());
    }

    /** The seat that the view lists for a machine; 0 if the machine has no member. */
    public long seat(PeerId machine) {
        for (Member member : members) {
            if (member.machine().equals(machine)) {
                return member.seat();
            }
        }
        return 0;
    }

    /** Whether {@code machines} hold more than half of the votes, or exactly half of them with that of rank 0 among them. */
    public boolean isQuorum(Set<PeerId> machines) {
        Set<PeerId> voters = machineSet();
        int votes = 0;
        for (PeerId voter : voters) {
            votes += machines.contains(voter) ? 1 : 0;
        }
        return 2 * votes > voters.size()
                || (2 * votes == voters.size()
                        && !members.isEmpty()
                        && machines.contains(members.getFirst().machine()));
    }

    private Set<PeerId> machineSet() {
        var machines = new LinkedHashSet<PeerId>();
        for (Member member : members) {
            machines.add(member.machine());
        }
        return machines;
    }
}
