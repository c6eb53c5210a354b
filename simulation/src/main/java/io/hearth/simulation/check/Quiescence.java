package io.hearth.simulation.check;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.View;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.lie.Liar;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import io.hearth.simulation.trainer.Script;
import io.hearth.simulation.trainer.Trainer;
import java.util.List;
import java.util.Optional;

/**
 * The time after the faults: every open call must end, all nodes must come into one view, and a training of all must run to its end
 * there.
 */
public final class Quiescence {
    private static final long WRITES_OF_PEACE = 24; // of a slow disk, until all are in one view
    private static final long CALM_NANOS = SECOND;
    private static final long LAST_TRAINING_NANOS = 10 * SECOND;
    private static final long LAST_TRAINING_LENGTH = 3;
    private static final long WATCH_NANOS = 100 * MILLI;

    private final WorldSetting setting;
    private final Cluster cluster;
    private final long began;
    private final long oneViewNanosMax;

    public Quiescence(WorldSetting setting, Cluster cluster, Removals removals, Liar liar) {
        this.setting = setting;
        this.cluster = cluster;
        this.began = setting.now();
        long awake = cluster.processes().stream()
                .mapToLong(NodeProcess::pausedUntil)
                .max()
                .orElse(began);
        long slowest = cluster.hosts().stream()
                .mapToLong(host -> host.home.writeNanosMax())
                .max()
                .orElse(0);
        this.oneViewNanosMax = Math.max(0, awake - began)
                + setting.spans.oneViewNanosMax()
                + removals.heldNanosMax()
                + liar.climbNanos()
                + WRITES_OF_PEACE * slowest
                + (cluster.isDamaged() ? setting.spans.election().retainNanos() : 0); // until a lost record is missed
    }

    /** Waits until all nodes are in one view and every open call has ended (L1, L2). */
    public void settle() {
        long settled = isSettled() ? setting.now() : Long.MAX_VALUE; // older messages may still remove a member
        while (setting.now() - settled < CALM_NANOS) {
            long waited = setting.now() - began;
            boolean isWorkAwaited =
                    setting.hasSteps || commonView().isPresent(); // a trainer with steps enters between two of them
            long patience = oneViewNanosMax + (isWorkAwaited ? setting.spans.atWorkNanosMax() : 0);
            Violation.unless(
                    waited < patience,
                    setting.spans.areScaled() ? "L2" : "L1",
                    () -> "not settled " + waited / SECOND + " s after the faults:" + cluster.describe());
            if (!setting.hasSteps) {
                cluster.processes().forEach(this::followFellows);
            }
            setting.timeline.runUntil(setting.now() + WATCH_NANOS);
            if (settled == Long.MAX_VALUE && isSettled()) {
                setting.statistics.settled(setting.now() - began);
            }
            settled = isSettled() ? Math.min(settled, setting.now()) : Long.MAX_VALUE;
        }
    }

    /** Once one script of a job began, its other scripts begin as well. */
    private void followFellows(NodeProcess process) {
        boolean hasBegun = cluster.processes().stream()
                .anyMatch(other -> other.host().group.equals(process.host().group)
                        && other.state()
                                .view()
                                .lineage()
                                .equals(process.state().view().lineage())
                        && other.trainer().filter(trainer -> !trainer.isOpen()).isPresent());
        if (hasBegun && !process.isPaused()) {
            process.trainer().ifPresent(trainer -> trainer.script().work(setting.jobLength()));
        }
    }

    private boolean isSettled() {
        Optional<View> view = commonView();
        return view.isPresent()
                && cluster.processes().stream()
                        .flatMap(process -> process.trainer().stream())
                        .allMatch(trainer -> isReady(trainer, view.get()));
    }

    /** The view that lists exactly the expected processes, if all of them installed it and suspect after the same silence. */
    private Optional<View> commonView() {
        if (!cluster.isMeshed()) {
            return Optional.empty();
        }
        View view = null;
        long silence = 0;
        for (Host host : cluster.expected()) {
            NodeProcess process = cluster.process(host).orElse(null);
            if (process == null
                    || process.isPaused()
                    || process.isLeaving()
                    || process.state().isFrozen()) {
                return Optional.empty();
            }
            view = view == null ? process.state().view() : view;
            silence = silence == 0 ? process.silenceNanos() : silence;
            if (silence != process.silenceNanos()
                    || view.members().size() != cluster.expected().size()
                    || !process.state().view().equals(view)) {
                return Optional.empty();
            }
        }
        return Optional.ofNullable(view);
    }

    /** With steps, all trainers are at work together; without, no trainer works. */
    private boolean isReady(Trainer trainer, View view) {
        return setting.hasSteps ? trainer.script().isInStep(view, began) : trainer.isOpen();
    }

    /** Trains once more and checks that numbers advance at all trainers. */
    public void trainOnceMore() {
        View view = cluster.processes().getFirst().state().view();
        List<Trainer> trainers = cluster.processes().stream()
                .flatMap(process -> process.trainer().stream())
                .toList();
        List<Long> before = trainers.stream()
                .map(trainer -> trainer.script().steps().begun())
                .toList();
        trainers.forEach(trainer -> trainer.script().work(LAST_TRAINING_LENGTH));
        long begin = setting.now();
        while (!haveAdvanced(trainers, before)) {
            Violation.unless(
                    setting.now() - begin < LAST_TRAINING_NANOS,
                    "L1",
                    () -> "numbers do not advance in peace:" + cluster.describe());
            setting.timeline.runUntil(setting.now() + WATCH_NANOS);
        }
        isStill(view);
    }

    private boolean haveAdvanced(List<Trainer> trainers, List<Long> before) {
        for (int i = 0; i < trainers.size(); i++) {
            Script script = trainers.get(i).script();
            boolean hasAdvanced = setting.hasSteps
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
                () -> "the view changes in peace:" + cluster.describe());
    }
}
