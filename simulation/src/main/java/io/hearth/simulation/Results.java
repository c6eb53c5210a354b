package io.hearth.simulation;

import io.hearth.collective.Status;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Sees every input and every result and checks the rules of collectives. */
final class Results {
    private record Input(NodeId node, long incarnation, long number) {}

    private record Numbered(Lineage lineage, String group, long number) {}

    private final World world;
    private final Map<Input, Long> inputs = new HashMap<>();
    private final Map<Numbered, Ending> firstEndings = new HashMap<>();

    Results(World world) {
        this.world = world;
    }

    void called(NodeProcess process, long number, long value) {
        inputs.put(new Input(process.host.id, process.incarnation, number), value);
    }

    /** A number ended at a member. */
    void ended(NodeProcess process, long number, Ending ending) {
        ending.sum().ifPresent(sum -> isSumOfItsGroup(process, number, ending, sum));
        boolean isOneTraining = process.trainer().stream()
                .flatMap(trainer -> trainer.script().endings().values().stream())
                .allMatch(other -> other.lineage().equals(ending.lineage()));
        Violation.unless(isOneTraining, "training", "numbers of one training ended in two lineages");
        Optional<View> newest = world.ledger.newest(ending.lineage());
        if (newest.filter(view -> lists(view, process)).isPresent()) {
            for (NodeProcess other : world.cluster.processes()) {
                boolean isFellow = other != process
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
        if (world.weather.isMild()) {
            var key = new Numbered(ending.lineage(), process.host.group, number);
            Ending known = firstEndings.putIfAbsent(key, ending);
            Violation.unless(
                    known == null || known.isSameAs(ending),
                    "end of job",
                    "number " + number + " ended differently though all left in order");
        }
    }

    /** Who is removed learns it: a call among several does not end elsewhere as if nothing had happened. */
    void isTold(NodeProcess process, long number, View called, View ended) {
        boolean isOver =
                world.ledger.newest(called.lineage()).filter(View::isTombstone).isPresent();
        Violation.unless(
                called.members().size() == 1 || isOver || called.lineage().equals(ended.lineage()),
                "removed",
                process.host.name() + " was removed, and its number " + number + " ended elsewhere as if nothing was");
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
                "number " + number + " ended at " + first.host.name() + " with " + world.narrator.text(one) + " and at "
                        + second.host.name() + " with " + world.narrator.text(other));
    }

    private void isSumOfItsGroup(NodeProcess process, long number, Ending ending, Frame.Sum sum) {
        View view = world.ledger
                .view(ending.lineage(), sum.groupEpoch())
                .orElseThrow(() -> new Violation("I7", "a result of a group epoch that no view has"));
        var nodes = new TreeSet<NodeId>();
        long value = 0;
        for (Member member : view.group(process.host.group)) {
            nodes.add(member.node());
            value += inputs.getOrDefault(new Input(member.node(), member.incarnation(), number), 0L);
        }
        Violation.unless(
                nodes.equals(new TreeSet<>(sum.contributors()))
                        && ending.outcome().contributors() == nodes.size(),
                "I7",
                "the contributors of number " + number + " are not the group: "
                        + sum.contributors().stream().map(world::name).toList() + " and "
                        + nodes.stream().map(world::name).toList());
        Violation.unless(value == sum.value(), "I7", "number " + number + " is not the sum of its inputs");
    }

    /** Whatever ended at a kept member can still be had from one by those that lack it. */
    void committed(View view) {
        for (var group : view.groups()) {
            if (view.group(group.name()).stream().allMatch(member -> member.entryEpoch() == view.epoch())) {
                firstEndings
                        .keySet()
                        .removeIf(key -> key.lineage().equals(view.lineage())
                                && key.group().equals(group.name()));
            }
            var living = new ArrayList<Trainer>();
            for (NodeProcess process : world.cluster.processes()) {
                Optional<Member> entry = view.member(process.host.id);
                boolean isKept = process.host.group.equals(group.name())
                        && entry.isPresent()
                        && entry.get().incarnation() == process.incarnation
                        && entry.get().entryEpoch() < view.epoch()
                        && process.state().view().lineage().equals(view.lineage());
                if (isKept) {
                    process.trainer().ifPresent(living::add);
                }
            }
            isRetained(living);
        }
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
                    "number " + number + " ended at a kept member, another lacks it, and nobody holds it");
        }
    }
}
