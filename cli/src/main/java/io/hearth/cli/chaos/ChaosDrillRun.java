package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosDrill;
import io.hearth.cli.chaos.plan.ChaosPlan;
import io.hearth.cli.chaos.plan.ChaosReport;
import io.hearth.core.HearthException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A training in which a {@link ChaosDrill} repeats one kind of fault. The judge checks each round against the promise of that kind. */
final class ChaosDrillRun implements ChaosPlay {
    private final ChaosTraining training;
    private final List<Integer> hosts;
    private final ChaosDrill drill;
    private final int count;
    private final Consumer<String> say;
    private boolean isWhole = true;

    /** @param count number of rounds */
    ChaosDrillRun(ChaosStage stage, int hosts, ChaosDrill drill, int count, Consumer<String> say) {
        this.training = new ChaosTraining(stage, hosts, _ -> {});
        this.hosts = IntStream.range(0, hosts).boxed().toList();
        this.drill = drill;
        this.count = count;
        this.say = say;
    }

    @Override
    public void play() throws HearthException, InterruptedException {
        training.start();
        say.accept(hosts.size() + " hosts train together");
        for (int i = 1; i <= count; i++) {
            long beginNanos = System.nanoTime();
            String outcome = round(drill.next());
            long tookNanos = System.nanoTime() - beginNanos;
            training.judge().took(tookNanos);
            say.accept(String.format(Locale.ROOT, "%d of %d: %s (%.1f s)", i, count, outcome, tookNanos / 1e9));
        }
        if (isWhole) {
            training.stop();
        }
    }

    @Override
    public ChaosReport report() {
        return training.judge().report();
    }

    private String round(ChaosPlan.Act act) throws HearthException, InterruptedException {
        if (!isWhole || ChaosDrill.needsNewTraining(act, training.outside())) {
            training.restart();
        }
        training.rest(act.waitNanos());
        OptionalLong wholeNanos = training.perform(act, hosts);
        String outcome = training.judge().settle(wholeNanos);
        isWhole = wholeNanos.isPresent();
        if (!isWhole) {
            training.dumpThreads();
        }
        return outcome;
    }
}
