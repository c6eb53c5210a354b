package io.hearth.bench;

import io.hearth.core.HearthException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Trains with every codec and seed of a plan and reports the accuracy of each training. */
public final class ConvergenceBench {
    private ConvergenceBench() {}

    /**
     * Runs the plan; the same plan and images give the same lines.
     *
     * @param finished receives the result of each training at its end, in the thread that ran it
     * @param lines receives the results in the order of the plan, codec by codec, in the thread of the caller
     * @return all lines, in that order
     * @throws HearthException a training failed; the others were ended
     */
    public static List<ConvergenceLine> run(
            ConvergencePlan plan,
            MnistImages images,
            Consumer<ConvergenceLine> finished,
            Consumer<ConvergenceLine> lines)
            throws HearthException, InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(plan.threads())) {
            try {
                var runs = new ArrayList<Future<ConvergenceLine>>();
                for (ConvergenceCodec codec : plan.codecs()) {
                    for (long seed : plan.seeds()) {
                        runs.add(threads.submit(() -> {
                            ConvergenceLine line = new ConvergenceRun(codec, seed, plan.epochs()).train(images);
                            finished.accept(line);
                            return line;
                        }));
                    }
                }
                var all = new ArrayList<ConvergenceLine>();
                for (Future<ConvergenceLine> run : runs) {
                    ConvergenceLine line = await(run);
                    lines.accept(line);
                    all.add(line);
                }
                return all;
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static ConvergenceLine await(Future<ConvergenceLine> run) throws HearthException, InterruptedException {
        try {
            return run.get();
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case HearthException reported -> throw reported;
                case Error bug -> throw bug;
                case null, default -> throw new AssertionError("a training ended with an unexpected exception", failed);
            }
        }
    }
}
