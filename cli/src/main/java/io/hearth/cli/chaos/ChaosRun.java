package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosPlan;
import io.hearth.cli.chaos.plan.ChaosReport;
import io.hearth.core.HearthException;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A training with the faults of a {@link ChaosPlan}, act by act, for a given time. At the end all workers must have the same weights. */
final class ChaosRun implements ChaosPlay {
    private final ChaosTraining training;
    private final ChaosPlan plan;
    private final Duration duration;
    private final Consumer<String> say;

    /** @param duration how long the run begins new acts */
    ChaosRun(ChaosStage stage, int hosts, long seed, Duration duration, Consumer<String> say) {
        this.training = new ChaosTraining(stage, hosts, say);
        this.plan = new ChaosPlan(seed, hosts);
        this.duration = duration;
        this.say = say;
    }

    @Override
    public void play() throws HearthException, InterruptedException {
        training.start();
        long endNanos = System.nanoTime() + duration.toNanos();
        while (endNanos - System.nanoTime() > 0) {
            long beginNanos = System.nanoTime();
            perform(plan.next());
            training.judge().took(System.nanoTime() - beginNanos);
        }
        training.stop();
    }

    @Override
    public ChaosReport report() {
        return training.judge().report();
    }

    private void perform(ChaosPlan.Act act) throws HearthException, InterruptedException {
        training.rest(act.waitNanos());
        OptionalLong wholeNanos = training.perform(act, training.hostOfRank());
        training.judge().settle();
        if (wholeNanos.isPresent()) {
            say.accept(String.format(
                    Locale.ROOT,
                    "whole again %.1f s after the last healing, step %d",
                    wholeNanos.getAsLong() / 1e9,
                    report().steps()));
        } else { // a host did not come back: a new training takes the rest of the time
            training.dumpThreads();
            training.restart();
        }
    }
}
