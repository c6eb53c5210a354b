package io.hearth.simulation.rule;

import io.hearth.collective.group.SubgroupId;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** Checks every collective among some members of a group: one result on all that the group keeps, the sum of what its members gave. */
public final class SubgroupChecker {
    /** A random source of its own, so that worlds without subgroups stay the same. */
    public final SplittableRandom random;

    private final Map<String, List<NodeId>> members = new HashMap<>();
    private final Map<Input, Long> inputs = new HashMap<>();
    private final Map<Numbered, Map<Start, Optional<Sum>>> endings = new HashMap<>();

    private record Input(String fence, NodeId node, long number) {}

    private record Numbered(SubgroupId id, long number) {}

    /** One start of a node. */
    public record Start(NodeId node, long incarnation) {}

    /** A result, and the fence in which it was computed. */
    public record Sum(String fence, long value, List<NodeId> contributors) {}

    public SubgroupChecker(SplittableRandom random) {
        this.random = random;
    }

    /** A member of a subgroup enters a group epoch with these members, by rank. */
    public void entered(String fence, List<NodeId> by) {
        List<NodeId> known = members.putIfAbsent(fence, by);
        Violation.unless(
                known == null || known.equals(by),
                "subgroup",
                () -> "the members of a subgroup disagree about who they are: " + by + " and " + known);
    }

    /** A member gives a value. */
    public void gave(String fence, NodeId node, long number, long value) {
        inputs.put(new Input(fence, node, number), value);
    }

    /** A number ended at a member, without a sum if it was rejected; {@code newest} is the newest view of its lineage. */
    public void ended(SubgroupId id, long number, Start start, Optional<Sum> sum, Optional<View> newest) {
        sum.ifPresent(known -> isRight(number, known));
        Map<Start, Optional<Sum>> known = endings.computeIfAbsent(new Numbered(id, number), _ -> new HashMap<>());
        known.put(start, sum);
        for (Map.Entry<Start, Optional<Sum>> other : known.entrySet()) {
            Violation.unless(
                    !isListed(newest, start)
                            || !isListed(newest, other.getKey())
                            || other.getValue().equals(sum),
                    "subgroup",
                    () -> "number " + number + " of a subgroup ended with " + sum + " and with " + other.getValue());
        }
    }

    private void isRight(long number, Sum sum) {
        Violation.unless(
                sum.contributors().equals(members.get(sum.fence())),
                "subgroup",
                () -> "the contributors of number " + number + " are not the subgroup: " + sum);
        long expected = sum.contributors().stream()
                .mapToLong(node -> inputs.getOrDefault(new Input(sum.fence(), node, number), 0L))
                .sum();
        Violation.unless(
                expected == sum.value(),
                "subgroup",
                () -> "number " + number + " of a subgroup is not the sum of its inputs: " + sum);
    }

    private static boolean isListed(Optional<View> newest, Start start) {
        return newest.flatMap(view -> view.member(start.node()))
                .filter(member -> member.incarnation() == start.incarnation())
                .isPresent();
    }
}
