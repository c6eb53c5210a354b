package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.election.View;
import java.util.List;
import java.util.Optional;

/**
 * The time after the faults: whatever was begun has to end, all nodes have to come into one view, and a training of all has to
 * run to its end there.
 */
final class Quiescence {
    private static final long WRITES_OF_PEACE = 24; // of a slow disk, until all are in one view
    private static final long CALM_NANOS = SECOND;
    private static final long LAST_TRAINING_NANOS = 10 * SECOND;
    private static final long LAST_TRAINING_LENGTH = 3;
    private static final long WATCH_NANOS = 100 * MILLI;

    private final World world;
    private final Cluster cluster;
    private final long began;
    private final long oneViewNanosMax;

    Quiescence(World world) {
        this.world = world;
        this.cluster = world.cluster;
        this.began = world.now();
        long awake = cluster.processes().stream()
                .mapToLong(NodeProcess::pausedUntil)
                .max()
                .orElse(began);
        long slowest = cluster.hosts().stream()
                .mapToLong(host -> host.home.writeNanosMax())
                .max()
                .orElse(0);
        this.oneViewNanosMax = Math.max(0, awake - began)
                + world.spans.oneViewNanosMax()
                + world.removals.heldNanosMax()
                + world.liar.climbNanos()
                + WRITES_OF_PEACE * slowest
                + (cluster.isDamaged() ? world.spans.election().retainNanos() : 0); // until a lost record is missed
    }

    /** L1, and nobody waits for ever. */
    void settle() {
        long settled = isSettled() ? world.now() : Long.MAX_VALUE; // what was heard before may still remove somebody
        while (world.now() - settled < CALM_NANOS) {
            long waited = world.now() - began;
            boolean isWorkAwaited =
                    world.hasSteps || commonView().isPresent(); // who trains in steps enters between two
            long patience = oneViewNanosMax + (isWorkAwaited ? world.spans.atWorkNanosMax() : 0);
            Violation.unless(
                    waited < patience,
                    world.spans.areScaled() ? "L2" : "L1",
                    () -> "not settled " + waited / SECOND + " s after the faults:" + world.narrator.describe(cluster));
            if (!world.hasSteps) {
                cluster.processes().forEach(this::followFellows);
            }
            world.timeline.runUntil(world.now() + WATCH_NANOS);
            if (settled == Long.MAX_VALUE && isSettled()) {
                world.tally.settled(world.now() - began);
            }
            settled = isSettled() ? Math.min(settled, world.now()) : Long.MAX_VALUE;
        }
    }

    /** Where one of a job began, the rest of its scripts begin as well. */
    private void followFellows(NodeProcess process) {
        boolean hasBegun = cluster.processes().stream()
                .anyMatch(other -> other.host.group.equals(process.host.group)
                        && other.state()
                                .view()
                                .lineage()
                                .equals(process.state().view().lineage())
                        && other.trainer().filter(trainer -> !trainer.isOpen()).isPresent());
        if (hasBegun && !process.isPaused()) {
            process.trainer().ifPresent(trainer -> trainer.script().work(world.jobLength()));
        }
    }

    private boolean isSettled() {
        Optional<View> view = commonView();
        return view.isPresent()
                && cluster.processes().stream()
                        .flatMap(process -> process.trainer().stream())
                        .allMatch(trainer -> isReady(trainer, view.get()));
    }

    /** The view that all who should run are in and nobody else. */
    private Optional<View> commonView() {
        if (!cluster.isMeshed()) {
            return Optional.empty();
        }
        View view = null;
        for (Host host : cluster.expected()) {
            NodeProcess process = host.process().orElse(null);
            if (process == null
                    || process.isPaused()
                    || process.isLeaving()
                    || process.state().isFrozen()) {
                return Optional.empty();
            }
            view = view == null ? process.state().view() : view;
            if (view.members().size() != cluster.expected().size()
                    || !process.state().view().equals(view)) {
                return Optional.empty();
            }
        }
        return Optional.ofNullable(view);
    }

    /** Where jobs have steps, all are at work together; else nobody works. */
    private boolean isReady(Trainer trainer, View view) {
        return world.hasSteps ? trainer.script().isInStep(view, began) : trainer.isOpen();
    }

    /** Numbers advance for all. */
    void trainOnceMore() {
        View view = cluster.processes().getFirst().state().view();
        List<Trainer> trainers = cluster.processes().stream()
                .flatMap(process -> process.trainer().stream())
                .toList();
        List<Long> before = trainers.stream()
                .map(trainer -> trainer.script().steps().begun())
                .toList();
        trainers.forEach(trainer -> trainer.script().work(LAST_TRAINING_LENGTH));
        long begin = world.now();
        while (!haveAdvanced(trainers, before)) {
            Violation.unless(
                    world.now() - begin < LAST_TRAINING_NANOS,
                    "L1",
                    () -> "numbers do not advance in peace:" + world.narrator.describe(cluster));
            world.timeline.runUntil(world.now() + WATCH_NANOS);
        }
        isStill(view);
    }

    private boolean haveAdvanced(List<Trainer> trainers, List<Long> before) {
        for (int i = 0; i < trainers.size(); i++) {
            Script script = trainers.get(i).script();
            boolean hasAdvanced = world.hasSteps
                    ? script.steps().begun() >= before.get(i) + LAST_TRAINING_LENGTH
                    : script.isFinished();
            if (!hasAdvanced) {
                return false;
            }
        }
        return true;
    }

    private void isStill(View view) {
        Violation.unless(
                cluster.processes().size() == cluster.expected().size()
                        && cluster.processes().stream()
                                .allMatch(process -> process.state().view().equals(view)),
                "L1",
                () -> "the view changes in peace:" + world.narrator.describe(cluster));
    }
}
