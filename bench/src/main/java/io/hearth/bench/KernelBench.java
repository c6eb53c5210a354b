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
 * Times the kernels of engines, and of C beside them.
 *
 * <p>All contenders take turns, so that what else the machine does strikes each of them, and the best of the rounds counts. Operands
 * are in native memory and are used again by each call: small ones come from a cache.
 */
public final class KernelBench {
    /** A kernel that is not compiled yet is a thousand times slower, so it takes that long until it is called often enough. */
    private static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int WARM_UPS_MIN = 3;
    private static final int WARM_UPS_MAX = 30;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(12);
    private static final int ROUNDS = 7;

    private final List<TimedEngine> engines;
    private final Optional<CLoops> loops;
    private final EngineChoice choice;

    /**
     * @param engines those to time; they have to exist here
     * @param loops borrowed
     * @param choice of {@code auto}
     */
    public KernelBench(List<TimedEngine> engines, Optional<CLoops> loops, EngineChoice choice) {
        this.engines = List.copyOf(engines);
        this.loops = loops;
        this.choice = choice;
    }

    /** Something that can be called again and again, and its best time. */
    private static final class Contender {
        private final Runnable call;
        private final LongSupplier callsDone;
        private double bestNanos = Double.MAX_VALUE;
        private long callsMade;
        private long callsDoneBefore;

        /** One whose calls are all its own. */
        Contender(Runnable call) {
            this.call = call;
            callsDone = this::callsMade;
        }

        Contender(Runnable call, LongSupplier callsDone) {
            this.call = call;
            this.callsDone = callsDone;
        }

        /** Calls for so long, once at least; nanoseconds of one call. */
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

        /** Whether it did all calls itself since {@link #begin}: else its time is another engine's. */
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
     * @param sizes bytes of one operand, as {@link KernelRun} takes them
     * @param each is given a line for each engine as soon as it is there
     * @param leftOut is told in a line why an engine has no figure: its calls were done by another one
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

    /** Where a collective would have its operands with such an engine; all others read them there too. */
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
                        + " bytes to another engine: no figure");
                continue;
            }
            boolean chosen = choice.engine(kernel, bytes) == engine;
            each.accept(new KernelLine(engine, kernel, bytes, contenders.get(i).gbPerSecond(bytes), ofC, chosen));
        }
    }
}
