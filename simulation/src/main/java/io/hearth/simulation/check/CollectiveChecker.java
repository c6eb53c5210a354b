package io.hearth.simulation.check;

import io.hearth.collective.Signature;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Status;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.Ending;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.call.Parts;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.lie.Liar;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.process.Results;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import io.hearth.simulation.trainer.Trainer;
import io.hearth.topology.plan.Plan;
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

/** Observes every input and every result and checks the rules of collectives. */
public final class CollectiveChecker implements Results {
    private record Input(String fence, NodeId node, long number) {}

    /** A member holds what belongs to a number, in a group epoch. */
    private record Holding(String fence, NodeId node, long number) {}

    private record Epoch(String fence, String group) {}

    private record Called(String fence, String group, long number) {}

    private record Numbered(Lineage lineage, String group, long number) {}

    private record Named(Lineage lineage, String group) {}

    private record Final(Named group, long founded, long number) {}

    private final WorldSetting setting;
    private final Cluster cluster;
    private final Liar liar;
    private final Map<Input, Long> inputs = new HashMap<>();
    private final Set<Holding> holdings = new HashSet<>();
    private final Map<Called, Signature> signatures = new HashMap<>();
    private final Map<Epoch, Set<Plan>> plans = new HashMap<>();
    private final Map<Called, Plan> played = new HashMap<>();
    private final Set<Long> flipped = new HashSet<>();
    private final Map<Numbered, Ending> firstEndings = new HashMap<>();
    private final Map<Final, GroupFrame.Sum> finals = new HashMap<>();
    private final Map<Named, NavigableSet<Long>> foundings = new HashMap<>(); // epochs in which no member was kept

    public CollectiveChecker(WorldSetting setting, Cluster cluster, Liar liar) {
        this.setting = setting;
        this.cluster = cluster;
        this.liar = liar;
    }

    /** All members must call a number alike, which depends on the ranks that they know. */
    @Override
    public void gave(ProcessContext process, String fence, long number, Signature signature, long value) {
        inputs.put(new Input(fence, process.id(), number), value);
        Signature first = signatures.putIfAbsent(new Called(fence, process.host().group, number), signature);
        Violation.unless(
                first == null || first.equals(signature),
                "ranks",
                () -> "members disagree about number " + number + ": " + first.text() + " and " + signature.text());
    }

    /** A member reports that it holds the data of a number. */
    @Override
    public void holds(ProcessContext process, String fence, long number) {
        holdings.add(new Holding(fence, process.id(), number));
    }

    @Override
    public void planned(ProcessContext process, String fence, Plan plan) {
        plans.computeIfAbsent(new Epoch(fence, process.host().group), _ -> new HashSet<>())
                .add(plan);
    }

    /** Two members never play one number of a group epoch by different plans, nor by a plan of another group epoch. */
    @Override
    public void plays(ProcessContext process, String fence, long number, Plan plan) {
        if (liar.forges() || liar.spoilsResults() || liar.is(process)) {
            return;
        }
        Set<Plan> known = plans.getOrDefault(new Epoch(fence, process.host().group), Set.of());
        Violation.unless(
                plan.equals(Plan.NONE) || known.contains(plan),
                "plan",
                () -> process.host().name() + " plays number " + number + " by a plan of another group epoch: " + plan);
        Plan first = played.putIfAbsent(new Called(fence, process.host().group, number), plan);
        Violation.unless(
                first == null || first.equals(plan),
                "plan",
                () -> "members play number " + number + " by different plans: " + first + " and " + plan);
    }

    /** A number ended at a member. */
    @Override
    public void ended(
            ProcessContext process, long number, Ending ending, SortedMap<Long, Ending> endings, List<NodeId> members) {
        if (liar.forges()) {
            return;
        }
        isRefusedWithReason(members, number, ending);
        ending.sum().ifPresent(sum -> isSumOfItsGroup(process, number, ending, sum));
        if (ending.beginsStep() && ending.sum().isPresent()) {
            areFinal(process.host().group, endings, number, ending.lineage());
        }
        boolean isOneTraining = // each of the earlier ones was compared in the same way
                endings.firstEntry().getValue().lineage().equals(ending.lineage())
                        && endings.lastEntry().getValue().lineage().equals(ending.lineage());
        Violation.unless(isOneTraining, "training", "numbers of one training ended in two lineages");
        Optional<View> newest = setting.viewChecker.newest(ending.lineage());
        if (newest.filter(view -> lists(view, process)).isPresent()) {
            for (NodeProcess other : cluster.processes()) {
                boolean isFellow = other != process
                        && !liar.is(other) // the checks skip the data of a liar
                        && !liar.is(process)
                        && other.host().group.equals(process.host().group)
                        && other.state().view().lineage().equals(ending.lineage())
                        && lists(newest.get(), other);
                if (isFellow) {
                    other.trainer()
                            .map(fellow -> fellow.script().endings().get(number))
                            .ifPresent(known -> areEqual(number, ending, known, process, other));
                }
            }
        }
        if (setting.profile.isMild() && !cluster.hasGivenUp()) {
            var key = new Numbered(ending.lineage(), process.host().group, number);
            Ending known = firstEndings.putIfAbsent(key, ending);
            Violation.unless(
                    known == null || known.isSameAs(ending),
                    "end of job",
                    () -> "number " + number + " ended differently though all left in order");
        }
    }

    /** A removed member must learn of its removal: its call must not end in another lineage as if nothing had happened. */
    @Override
    public void isTold(ProcessContext process, long number, View called, View ended) {
        boolean isOver = setting.viewChecker
                .newest(called.lineage())
                .filter(View::isTombstone)
                .isPresent();
        Violation.unless(
                called.members().size() == 1 || isOver || called.lineage().equals(ended.lineage()),
                "removed",
                () -> process.host().name() + " was removed, and its number " + number
                        + " ended elsewhere as if nothing was");
    }

    private static boolean lists(View view, ProcessContext process) {
        return view.member(process.id())
                .filter(member -> member.incarnation() == process.incarnation())
                .isPresent();
    }

    private void areEqual(long number, Ending one, Ending other, ProcessContext first, ProcessContext second) {
        Violation.unless(
                one.isSameAs(other),
                "I5",
                () -> "number " + number + " ended at " + first.host().name() + " with " + setting.narrator.text(one)
                        + " and at " + second.host().name() + " with " + setting.narrator.text(other));
    }

    private void isSumOfItsGroup(ProcessContext process, long number, Ending ending, GroupFrame.Sum sum) {
        View view = setting.viewChecker
                .view(ending.lineage(), sum.groupEpoch())
                .orElseThrow(() -> new Violation("I7", "a result of a group epoch that no view has"));
        var nodes = new TreeSet<NodeId>();
        for (Member member : view.group(process.host().group)) {
            nodes.add(member.node());
        }
        long value = expected(process.id(), number, ending.asked(), sum.fence(), view.group(process.host().group));
        Violation.unless(
                nodes.equals(new TreeSet<>(sum.contributors()))
                        && ending.outcome().contributors() == nodes.size(),
                "I7",
                () -> "the contributors of number " + number + " are not the group: "
                        + sum.contributors().stream().map(setting::name).toList() + " and "
                        + nodes.stream().map(setting::name).toList());
        Violation.unless(
                ending.beginsStep() || value == sum.value(),
                "I7",
                () -> "number " + number + " is not the sum of its inputs, or not what its root gave: "
                        + ending.asked().text());
        areAllHolding(number, ending.asked(), sum, nodes);
    }

    /** The result that a member must get for a number, from all inputs of that group epoch. */
    private long expected(NodeId self, long number, Signature asked, String fence, List<Member> byRank) {
        boolean isRoot = asked.root().filter(self::equals).isPresent();
        long sum = 0;
        long inOrder = 0;
        long ofRoot = 0;
        long shares = 0;
        long sharesInOrder = 0;
        int own = byRank.stream().map(Member::node).toList().indexOf(self);
        for (Member member : byRank) {
            long given = inputs.getOrDefault(new Input(fence, member.node(), number), 0L);
            sum += given;
            inOrder = 31 * inOrder + given;
            ofRoot += asked.root().filter(member.node()::equals).isPresent() ? given : 0;
            shares += Parts.block(given, own);
            sharesInOrder = 31 * sharesInOrder + Parts.block(given, own);
        }
        return switch (asked.kind()) {
            case REDUCE -> isRoot ? sum : 0;
            case GATHER -> isRoot ? inOrder : 0;
            case SCATTER -> Parts.block(ofRoot, own);
            case REDUCE_SCATTER -> shares;
            case ALL_TO_ALL -> sharesInOrder;
            case BROADCAST -> ofRoot;
            case ALL_REDUCE, CHOICE, BOUNDARY, START, PLAN, ALL_GATHER, BARRIER -> sum;
        };
    }

    /** Where members get different bytes or keep none, the root must be a member, and none returns before all hold theirs. */
    private void areAllHolding(long number, Signature asked, GroupFrame.Sum sum, Set<NodeId> nodes) {
        Violation.unless(
                asked.root().filter(root -> !nodes.contains(root)).isEmpty(),
                "root",
                () -> "number " + number + " has a result of a group without its root: " + asked.text());
        boolean isHeld = asked.inPlace() || asked.root().isPresent() || Parts.areIn(asked);
        for (NodeId node : nodes) {
            Violation.unless(
                    !isHeld || holdings.contains(new Holding(sum.fence(), node, number)),
                    "held",
                    () -> "number " + number + " ended before " + setting.name(node) + " held its part: "
                            + asked.text());
        }
    }

    /** A number may end with "root lost" only if its root is no member any more. */
    private static void isRefusedWithReason(List<NodeId> members, long number, Ending ending) {
        boolean isRootLost = ending.outcome()
                .refusal()
                .filter(refusal -> refusal.cause() == CallRejection.Cause.ROOT_LOST)
                .isPresent();
        boolean isThere = ending.asked().root().stream().anyMatch(members::contains);
        Violation.unless(
                !isRootLost || (ending.asked().root().isPresent() && !isThere),
                "root",
                () -> "number " + number + " ended for want of a root that is there: "
                        + ending.asked().text());
    }

    /** When a step begins, all earlier results are final. */
    private void areFinal(String name, SortedMap<Long, Ending> endings, long number, Lineage lineage) {
        var group = new Named(lineage, name);
        for (var before : endings.headMap(number).reversed().entrySet()) {
            before.getValue().common().ifPresent(sum -> isFinal(group, before.getKey(), sum));
            if (before.getValue().beginsStep() && before.getValue().sum().isPresent()) {
                return; // earlier numbers were checked when that step began
            }
        }
    }

    private void isFinal(Named group, long number, GroupFrame.Sum sum) {
        Long founded = foundings.getOrDefault(group, new TreeSet<>()).floor(sum.groupEpoch());
        GroupFrame.Sum known = finals.putIfAbsent(new Final(group, founded == null ? 1 : founded, number), sum);
        Violation.unless(
                known == null || known.equals(sum),
                "I9",
                () -> "number " + number + " is final with two results: " + sum + " and " + known);
    }

    /** A bit flipped in what a trainer holds, which is this now. */
    @Override
    public void flipped(long model) {
        flipped.add(model);
    }

    /**
     * A step must begin with the state of former members that completed a step. These all have the same state unless memory is wrong; then
     * the state that most of them have counts, among equals that of the lowest rank.
     */
    @Override
    public void agreed(List<GroupFrame.Claim> byRank, GroupFrame.Claim agreed) {
        List<GroupFrame.Claim> members = byRank.stream()
                .filter(claim -> !claim.joined() && claim.revision() > 0)
                .toList();
        List<GroupFrame.Claim> healthy = members.stream()
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
        for (GroupFrame.Claim claim : members) {
            isBefore &= !claim.isSameStateAs(agreed);
            long others = members.stream().filter(claim::isSameStateAs).count();
            Violation.unless(
                    others < votes || (others == votes && !isBefore) || claim.isSameStateAs(agreed),
                    "I8",
                    () -> "a step begins with a state of " + votes + " members, another one is that of " + others);
        }
    }

    /** Trainers may enter a group only while all kept members are at the beginning of the same step or have called nothing yet. */
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

    /** If a number ended at a kept member, some kept member must still hold its result for the members that lack it. */
    public void committed(View view) {
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
            for (NodeProcess process : cluster.processes()) {
                Optional<Member> entry = view.member(process.id());
                boolean isKept = process.host().group.equals(group.name())
                        && entry.filter(member -> member.group().equals(group.name()))
                                .isPresent()
                        && entry.get().incarnation() == process.incarnation()
                        && entry.get().entryEpoch() < view.epoch()
                        && process.state().view().lineage().equals(view.lineage());
                if (isKept) {
                    process.trainer().ifPresent(living::add);
                }
            }
            if (liar.spoilsResults()) {
                continue; // numbers may be anything
            }
            entersAtBoundary(view, group.name(), living);
            isRetained(living.stream()
                    .filter(trainer -> isOf(trainer, view.lineage(), founded(group.name(), view)))
                    .toList());
        }
    }

    /** The last epoch in which no member of a group was kept, so that its numbers began again. */
    private long founded(String group, View view) {
        Long epoch = foundings
                .getOrDefault(new Named(view.lineage(), group), new TreeSet<>())
                .floor(view.epoch());
        return epoch == null ? 1 : epoch;
    }

    /** Without the results that a member had elsewhere, or in a group whose members all left, before it entered. */
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
