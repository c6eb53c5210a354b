package io.hearth.simulation;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Status;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/** Sees every input and every result and checks the rules of collectives. */
final class CollectiveChecker {
    private record Input(String fence, NodeId node, long number) {}

    /** A member holds what belongs to a number, in a group epoch. */
    private record Holding(String fence, NodeId node, long number) {}

    private record Called(String fence, String group, long number) {}

    private record Numbered(Lineage lineage, String group, long number) {}

    private record Named(Lineage lineage, String group) {}

    private record Final(Named group, long founded, long number) {}

    private final World world;
    private final Map<Input, Long> inputs = new HashMap<>();
    private final Set<Holding> holdings = new HashSet<>();
    private final Map<Called, Signature> signatures = new HashMap<>();
    private final Set<Long> flipped = new HashSet<>();
    private final Map<Numbered, Ending> firstEndings = new HashMap<>();
    private final Map<Final, Frame.Sum> finals = new HashMap<>();
    private final Map<Named, NavigableSet<Long>> foundings = new HashMap<>(); // epochs in which nobody was kept

    CollectiveChecker(World world) {
        this.world = world;
    }

    /** A member gives {@code value} in a group epoch; all of them want the same of it, which rests on what they know as ranks. */
    void gave(NodeProcess process, String fence, long number, Script.Call call) {
        inputs.put(new Input(fence, process.host.id, number), call.value());
        Signature first = signatures.putIfAbsent(new Called(fence, process.host.group, number), call.signature());
        Violation.unless(
                first == null || first.equals(call.signature()),
                "ranks",
                () -> "members disagree about number " + number + ": " + first.text() + " and "
                        + call.signature().text());
    }

    /** A member says that it holds what belongs to a number. */
    void holds(NodeProcess process, String fence, long number) {
        holdings.add(new Holding(fence, process.host.id, number));
    }

    /** A number ended at a member. */
    void ended(NodeProcess process, long number, Ending ending) {
        if (world.liar.forges()) {
            return;
        }
        isRefusedWithReason(process, number, ending);
        ending.sum().ifPresent(sum -> isSumOfItsGroup(process, number, ending, sum));
        if (ending.beginsStep() && ending.sum().isPresent()) {
            areFinal(process, number, ending.lineage());
        }
        boolean isOneTraining = process.trainer().stream()
                .flatMap(trainer -> trainer.script().endings().values().stream())
                .allMatch(other -> other.lineage().equals(ending.lineage()));
        Violation.unless(isOneTraining, "training", "numbers of one training ended in two lineages");
        Optional<View> newest = world.viewChecker.newest(ending.lineage());
        if (newest.filter(view -> lists(view, process)).isPresent()) {
            for (NodeProcess other : world.cluster.processes()) {
                boolean isFellow = other != process
                        && !world.liar.is(other) // what it holds of a number is its own affair
                        && !world.liar.is(process)
                        && other.host.group.equals(process.host.group)
                        && other.state().view().lineage().equals(ending.lineage())
                        && lists(newest.get(), other);
                if (isFellow) {
                    other.trainer()
                            .map(fellow -> fellow.script().endings().get(number))
                            .ifPresent(known -> areEqual(number, ending, known, process, other));
                }
            }
        }
        if (world.profile.isMild() && !world.cluster.hasGivenUp()) {
            var key = new Numbered(ending.lineage(), process.host.group, number);
            Ending known = firstEndings.putIfAbsent(key, ending);
            Violation.unless(
                    known == null || known.isSameAs(ending),
                    "end of job",
                    () -> "number " + number + " ended differently though all left in order");
        }
    }

    /** Who is removed learns it: a call among several does not end elsewhere as if nothing had happened. */
    void isTold(NodeProcess process, long number, View called, View ended) {
        boolean isOver = world.viewChecker
                .newest(called.lineage())
                .filter(View::isTombstone)
                .isPresent();
        Violation.unless(
                called.members().size() == 1 || isOver || called.lineage().equals(ended.lineage()),
                "removed",
                () -> process.host.name() + " was removed, and its number " + number
                        + " ended elsewhere as if nothing was");
    }

    private static boolean lists(View view, NodeProcess process) {
        return view.member(process.host.id)
                .filter(member -> member.incarnation() == process.incarnation)
                .isPresent();
    }

    private void areEqual(long number, Ending one, Ending other, NodeProcess first, NodeProcess second) {
        Violation.unless(
                one.isSameAs(other),
                "I5",
                () -> "number " + number + " ended at " + first.host.name() + " with " + world.narrator.text(one)
                        + " and at " + second.host.name() + " with " + world.narrator.text(other));
    }

    private void isSumOfItsGroup(NodeProcess process, long number, Ending ending, Frame.Sum sum) {
        View view = world.viewChecker
                .view(ending.lineage(), sum.groupEpoch())
                .orElseThrow(() -> new Violation("I7", "a result of a group epoch that no view has"));
        var nodes = new TreeSet<NodeId>();
        for (Member member : view.group(process.host.group)) {
            nodes.add(member.node());
        }
        long value = expected(process.host.id, number, ending.asked(), sum.fence(), view.group(process.host.group));
        Violation.unless(
                nodes.equals(new TreeSet<>(sum.contributors()))
                        && ending.outcome().contributors() == nodes.size(),
                "I7",
                () -> "the contributors of number " + number + " are not the group: "
                        + sum.contributors().stream().map(world::name).toList() + " and "
                        + nodes.stream().map(world::name).toList());
        Violation.unless(
                ending.beginsStep() || value == sum.value(),
                "I7",
                () -> "number " + number + " is not the sum of its inputs, or not what its root gave: "
                        + ending.asked().text());
        areAllHolding(number, ending.asked(), sum, nodes);
    }

    /** What a member gets of a number, from all that was given in that group epoch. */
    private long expected(NodeId self, long number, Signature asked, String fence, List<Member> byRank) {
        boolean isRoot = asked.root().filter(self::equals).isPresent();
        long sum = 0;
        long inOrder = 0;
        long ofRoot = 0;
        long shares = 0;
        int own = byRank.stream().map(Member::node).toList().indexOf(self);
        for (Member member : byRank) {
            long given = inputs.getOrDefault(new Input(fence, member.node(), number), 0L);
            sum += given;
            inOrder = 31 * inOrder + given;
            ofRoot += asked.root().filter(member.node()::equals).isPresent() ? given : 0;
            shares += Parts.block(given, own);
        }
        return switch (asked.kind()) {
            case REDUCE -> isRoot ? sum : 0;
            case GATHER -> isRoot ? inOrder : 0;
            case SCATTER -> Parts.block(ofRoot, own);
            case REDUCE_SCATTER -> shares;
            case BROADCAST -> ofRoot;
            case ALL_REDUCE, CHOICE, BOUNDARY, START, ALL_GATHER, BARRIER -> sum;
        };
    }

    /** Where members do not all get the same bytes, or keep none: the root is among them, and none returns before all hold theirs. */
    private void areAllHolding(long number, Signature asked, Frame.Sum sum, Set<NodeId> nodes) {
        Violation.unless(
                asked.root().filter(root -> !nodes.contains(root)).isEmpty(),
                "root",
                () -> "number " + number + " has a result of a group without its root: " + asked.text());
        boolean isHeld = asked.inPlace() || asked.root().isPresent() || Parts.areIn(asked);
        for (NodeId node : nodes) {
            Violation.unless(
                    !isHeld || holdings.contains(new Holding(sum.fence(), node, number)),
                    "held",
                    () -> "number " + number + " ended before " + world.name(node) + " held its part: " + asked.text());
        }
    }

    /** A number ends for want of its root only where that is no member any more. */
    private static void isRefusedWithReason(NodeProcess process, long number, Ending ending) {
        boolean isRootLost = ending.outcome()
                .refusal()
                .filter(refusal -> refusal.cause() == CallRejection.Cause.ROOT_LOST)
                .isPresent();
        boolean isThere = ending.asked().root().stream()
                .anyMatch(root -> process.trainer()
                        .orElseThrow()
                        .state()
                        .layout()
                        .members()
                        .contains(root));
        Violation.unless(
                !isRootLost || (ending.asked().root().isPresent() && !isThere),
                "root",
                () -> "number " + number + " ended for want of a root that is there: "
                        + ending.asked().text());
    }

    /** When a step begins, all that ended before is what it is for ever. */
    private void areFinal(NodeProcess process, long number, Lineage lineage) {
        var group = new Named(lineage, process.host.group);
        SortedMap<Long, Ending> endings =
                process.trainer().orElseThrow().script().endings();
        for (var before : endings.headMap(number).reversed().entrySet()) {
            before.getValue().common().ifPresent(sum -> isFinal(group, before.getKey(), sum));
            if (before.getValue().beginsStep() && before.getValue().sum().isPresent()) {
                return; // what is before that step was looked at when it began
            }
        }
    }

    private void isFinal(Named group, long number, Frame.Sum sum) {
        Long founded = foundings.getOrDefault(group, new TreeSet<>()).floor(sum.groupEpoch());
        Frame.Sum known = finals.putIfAbsent(new Final(group, founded == null ? 1 : founded, number), sum);
        Violation.unless(
                known == null || known.equals(sum),
                "I9",
                () -> "number " + number + " is final with two results: " + sum + " and " + known);
    }

    /** A bit flipped in what a trainer holds, which is this now. */
    void flipped(long model) {
        flipped.add(model);
    }

    /**
     * A step begins with a state of those who were in before and completed a step: they all have the same, but for wrong memory,
     * and then it is what most of them have, among equals that of the lowest rank.
     */
    void agreed(List<Frame.Claim> byRank, Frame.Claim agreed) {
        List<Frame.Claim> members = byRank.stream()
                .filter(claim -> !claim.joined() && claim.revision() > 0)
                .toList();
        List<Frame.Claim> healthy = members.stream()
                .filter(claim -> !flipped.contains(claim.model()))
                .distinct()
                .toList();
        Violation.unless(
                healthy.size() <= 1,
                "I8",
                () -> "members of one group come to a step with different states: " + healthy);
        boolean isTheirs = members.isEmpty() || members.stream().anyMatch(agreed::isSameStateAs);
        Violation.unless(isTheirs, "I8", "a step begins with the state of one who joined");
        long votes = members.stream().filter(agreed::isSameStateAs).count();
        boolean isBefore = true;
        for (Frame.Claim claim : members) {
            isBefore &= !claim.isSameStateAs(agreed);
            long others = members.stream().filter(claim::isSameStateAs).count();
            Violation.unless(
                    others < votes || (others == votes && !isBefore) || claim.isSameStateAs(agreed),
                    "I8",
                    () -> "a step begins with a state of " + votes + " members, another one is that of " + others);
        }
    }

    /** Trainers enter a group where all who stay are at the beginning of the same step, or have called nothing yet. */
    private static void entersAtBoundary(View view, String group, List<Trainer> kept) {
        boolean hasJoiners = view.group(group).stream().anyMatch(member -> member.entryEpoch() == view.epoch());
        Set<Long> entries = new TreeSet<>();
        for (Trainer trainer : kept) {
            Status status = trainer.reported();
            entries.add(status.called() == 0 ? 1 : status.boundary() ? status.called() : -1);
        }
        Violation.unless(
                !hasJoiners || kept.isEmpty() || (entries.size() == 1 && !entries.contains(-1L)),
                "boundary",
                () -> "a trainer enters group " + group + " though its members are not at the beginning of one step: "
                        + entries);
    }

    /** Whatever ended at a kept member can still be had from one by those that lack it. */
    void committed(View view) {
        for (var group : view.groups()) {
            if (view.group(group.name()).stream().allMatch(member -> member.entryEpoch() == view.epoch())) {
                firstEndings
                        .keySet()
                        .removeIf(key -> key.lineage().equals(view.lineage())
                                && key.group().equals(group.name()));
                foundings
                        .computeIfAbsent(new Named(view.lineage(), group.name()), _ -> new TreeSet<>())
                        .add(view.epoch());
            }
            var living = new ArrayList<Trainer>();
            for (NodeProcess process : world.cluster.processes()) {
                Optional<Member> entry = view.member(process.host.id);
                boolean isKept = process.host.group.equals(group.name())
                        && entry.filter(member -> member.group().equals(group.name()))
                                .isPresent()
                        && entry.get().incarnation() == process.incarnation
                        && entry.get().entryEpoch() < view.epoch()
                        && process.state().view().lineage().equals(view.lineage());
                if (isKept) {
                    process.trainer().ifPresent(living::add);
                }
            }
            if (world.liar.spoilsResults()) {
                continue; // numbers may be anything
            }
            entersAtBoundary(view, group.name(), living);
            isRetained(living.stream()
                    .filter(trainer -> isOf(trainer, view.lineage(), founded(group.name(), view)))
                    .toList());
        }
    }

    /** The last epoch in which nobody of a group was kept: its numbers began anew. */
    private long founded(String group, View view) {
        Long epoch = foundings
                .getOrDefault(new Named(view.lineage(), group), new TreeSet<>())
                .floor(view.epoch());
        return epoch == null ? 1 : epoch;
    }

    /** Not what one of them did elsewhere, or in a group whose members all went, before it came and was told that it does not count. */
    private static boolean isOf(Trainer trainer, Lineage lineage, long founded) {
        return trainer.script().endings().values().stream()
                .allMatch(ending -> ending.lineage().equals(lineage)
                        && ending.sum()
                                .filter(sum -> sum.groupEpoch() < founded)
                                .isEmpty());
    }

    private static void isRetained(List<Trainer> living) {
        long most = living.stream()
                .mapToLong(trainer -> trainer.script().endings().isEmpty()
                        ? 0
                        : trainer.script().endings().lastKey())
                .max()
                .orElse(0);
        long least = living.stream().mapToLong(Trainer::doneUpTo).min().orElse(0);
        for (long number = least + 1; number <= most; number++) {
            long of = number;
            boolean isEnded = living.stream()
                    .anyMatch(trainer -> trainer.script().endings().containsKey(of));
            boolean isMissed = living.stream()
                    .anyMatch(trainer -> !trainer.script().endings().containsKey(of));
            boolean isHeld = living.stream()
                    .flatMap(trainer -> trainer.state().kept().values().stream())
                    .mapToLong(Status.Kept::number)
                    .anyMatch(kept -> kept == of);
            Violation.unless(
                    !isEnded || !isMissed || isHeld,
                    "I6",
                    () -> "number " + of + " ended at a kept member, another lacks it, and nobody holds it");
        }
    }
}
