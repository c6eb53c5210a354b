package io.hearth.bench;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.EngineMemory;
import io.hearth.accel.KernelKind;
import io.hearth.accel.select.CompilerWatch;
import io.hearth.accel.select.KernelRun;
import io.hearth.accel.select.TimedEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Times the kernels of engines and the same loops in C.
 *
 * <p>All contenders take turns, so that other load of the machine affects each of them, and the best round counts. Operands are in native memory, and each call uses the same ones: small operands come from a cache.
 */
public final class KernelBench {
    /** A kernel is a thousand times slower before Java has compiled it, so it takes this time until it was called often enough. */
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int WARM_UPS_MIN = 3;
    private static final int WARM_UPS_MAX = 30;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(12);
    private static final int ROUNDS = 7;

    private final List<TimedEngine> engines;
    private final Optional<CLoops> loops;
    private final EngineChoice choice;

    /**
     * @param engines the engines to time; they must exist here
     * @param loops borrowed
     * @param choice the choice of {@code auto}
     */
    public KernelBench(List<TimedEngine> engines, Optional<CLoops> loops, EngineChoice choice) {
        this.engines = List.copyOf(engines);
        this.loops = loops;
        this.choice = choice;
    }

    /** A kernel of one engine or in C, and its best time. */
    private static final class Contender {
        private final Runnable call;
        private final LongSupplier callsDone;
        private double bestNanos = Double.MAX_VALUE;
        private long callsMade;
        private long callsDoneBefore;

        /** A contender that does all its calls itself. */
        Contender(Runnable call) {
            this.call = call;
            callsDone = this::callsMade;
        }

        Contender(Runnable call, LongSupplier callsDone) {
            this.call = call;
            this.callsDone = callsDone;
        }

        /** Calls it for {@code nanos}, at least once; returns the nanoseconds of one call. */
        private double run(long nanos) {
            long start = System.nanoTime();
            long calls = 0;
            long spent;
            do {
                call.run();
                calls++;
                spent = System.nanoTime() - start;
            } while (spent < nanos);
            callsMade += calls;
            return (double) spent / calls;
        }

        private long callsMade() {
            return callsMade;
        }

        void begin() {
            callsMade = 0;
            callsDoneBefore = callsDone.getAsLong();
        }

        /** Whether it did all calls since {@link #begin} itself. If not, its time is that of another engine. */
        boolean didAll() {
            return callsDone.getAsLong() - callsDoneBefore == callsMade;
        }

        void round() {
            bestNanos = Math.min(bestNanos, run(ROUND_NANOS));
        }

        double gbPerSecond(int bytes) {
            return bytes / bestNanos;
        }
    }

    /**
     * Times each kernel at each size.
     *
     * @param sizes bytes of one operand, as {@link KernelRun} requires them
     * @param each receives one line for each engine
     * @param leftOut receives a message for each engine without a result, because another engine did its calls
     */
    public void run(
            List<KernelKind> kernels, List<Integer> sizes, Consumer<KernelLine> each, Consumer<String> leftOut) {
        for (KernelKind kernel : kernels) {
            for (int bytes : sizes) {
                try (var run = new KernelRun(kernel, bytes, this::memory)) {
                    measure(run, kernel, bytes, each, leftOut);
                }
            }
        }
    }

    /** The memory in which a collective would have its operands with these engines. All contenders use it. */
    private Optional<EngineMemory> memory(long bytes) {
        return engines.stream()
                .flatMap(engine -> engine.reducer().allocate(bytes).stream())
                .findFirst();
    }

    private void measure(
            KernelRun run, KernelKind kernel, int bytes, Consumer<KernelLine> each, Consumer<String> leftOut) {
        var contenders = new ArrayList<Contender>();
        for (TimedEngine engine : engines) {
            Runnable call = () -> run.call(engine.reducer(), engine.codecs());
            contenders.add(engine.callsDone()
                    .map(callsDone -> new Contender(call, callsDone))
                    .orElseGet(() -> new Contender(call)));
        }
        Optional<CLoops> c = loops.filter(all -> all.has(kernel));
        c.ifPresent(all -> contenders.add(new Contender(() -> all.call(run))));
        var compiler = new CompilerWatch();
        int warmed = 0;
        do {
            contenders.forEach(contender -> contender.run(WARM_UP_NANOS));
            warmed++;
        } while (warmed < WARM_UPS_MIN || (warmed < WARM_UPS_MAX && compiler.isBusy(CompilerWatch.BUSY)));
        contenders.forEach(Contender::begin);
        for (int i = 0; i < ROUNDS; i++) {
            contenders.forEach(Contender::round);
        }
        OptionalDouble ofC =
                c.isPresent() ? OptionalDouble.of(contenders.getLast().gbPerSecond(bytes)) : OptionalDouble.empty();
        for (int i = 0; i < engines.size(); i++) {
            Engine engine = engines.get(i).engine();
            if (!contenders.get(i).didAll()) {
                leftOut.accept(engine.label() + " handed calls of " + kernel.text() + " with " + bytes
                        + " bytes to another engine: it has no result");
                continue;
            }
            boolean chosen = choice.engine(kernel, bytes) == engine;
            each.accept(new KernelLine(engine, kernel, bytes, contenders.get(i).gbPerSecond(bytes), ofC, chosen));
        }
    }
}
