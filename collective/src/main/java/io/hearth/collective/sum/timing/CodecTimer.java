package io.hearth.collective.sum.timing;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.CompilerWatch;
import io.hearth.collective.choice.CodecCost;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the cost of codecs on this machine: once per codec and process, in compiled code, on a thread of its own. */
public final class CodecTimer {
    /** 4 MiB: more than a processor core's own caches hold. */
    private static final int COUNT = 1 << 20;

    /** Small, so that the compiler soon counts many calls. */
    private static final int WARM_UP_COUNT = 1 << 13;

    private static final int ROUNDS = 5;

    /** Timing ends after three measurements in a row without a gain of a tenth. */
    private static final int STEADY_TIMES = 3;

    private static final double FASTER = 0.9;

    /** Timing waits until Java's compiler uses at most this share of a core; a training program keeps it busier than a benchmark does. */
    private static final double COMPILER_SHARE_MAX = 0.1;

    private static final long POLL_NANOS = 300_000_000;
    private static final long COMPILER_NANOS_MAX = 5_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(CodecTimer.class);
    private static final Map<String, Future<CodecCost>> KNOWN = new ConcurrentHashMap<>();
    private static final ExecutorService WORKER = worker();
    private static final Clock CLOCK =
            Clock.system(); // measures real processor time, also where the engine runs on another clock

    private final boolean keepsResidual;
    private final Codec codec;
    private final MemorySegment values;
    private final MemorySegment residual;
    private final MemorySegment left;
    private final MemorySegment encoded;

    private CodecTimer(CompressionStrategy.Coded strategy, CodecKernels kernels, Arena arena) {
        this.keepsResidual = strategy.keepsResidual();
        this.codec = Codecs.of(strategy, kernels);
        this.values = gradient(arena);
        this.residual = arena.allocate(values.byteSize());
        this.left = arena.allocate(values.byteSize());
        this.encoded = arena.allocate(codec.encodedBytesMax(COUNT));
    }

    /** An executor of one thread, which ends after one idle second. */
    private static ExecutorService worker() {
        var threads = Thread.ofPlatform().daemon().name("hearth-codec-costs").factory();
        var worker = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        worker.allowCoreThreadTimeOut(true);
        return worker;
    }

    /**
     * Costs for normally distributed values, measured with the given kernels. Returns at once; the first request for a codec starts
     * its measurement.
     *
     * @return the cost of each codec, in order; an empty list until all are known
     */
    public static List<CodecCost> costs(List<CompressionStrategy.Coded> codecs, CodecKernels kernels) {
        var asked = codecs.stream()
                .map(codec -> KNOWN.computeIfAbsent(
                        codec.text() + " by " + kernels.name(), _ -> WORKER.submit(() -> measure(codec, kernels))))
                .toList();
        return asked.stream().allMatch(cost -> cost.state() == Future.State.SUCCESS)
                ? asked.stream().map(Future::resultNow).toList()
                : List.of();
    }

    private static CodecCost measure(CompressionStrategy.Coded codec, CodecKernels kernels) {
        try (Arena arena = Arena.ofConfined()) {
            CodecCost cost = new CodecTimer(codec, kernels, arena).measure();
            // Without this, the codec's first trial in a sum would time interpreted code.
            CodecWarmUp.sparse(codec).forEach(each -> CodecWarmUp.run(each, kernels, CLOCK::nanoTime));
            LOG.debug("{} costs {}", codec.text(), cost);
            return cost;
        } catch (NonFiniteException | MalformedMessageException | RuntimeException | Error failed) {
            LOG.warn("cannot measure what {} costs, so auto never chooses it: {}", codec.text(), failed.toString());
            throw new IllegalStateException(codec.text() + " cannot be measured", failed);
        }
    }

    private static MemorySegment gradient(Arena arena) {
        MemorySegment gradient = arena.allocate(ValueLayout.JAVA_FLOAT, COUNT);
        var random = new SplittableRandom(COUNT);
        for (int i = 0; i < WARM_UP_COUNT; i++) {
            gradient.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        MemorySegment part = gradient.asSlice(0, (long) WARM_UP_COUNT * Float.BYTES);
        for (long at = part.byteSize(); at < gradient.byteSize(); at += part.byteSize()) {
            MemorySegment.copy(part, 0, gradient, at, part.byteSize());
        }
        return gradient;
    }

    private CodecCost measure() throws NonFiniteException, MalformedMessageException {
        warmUp();
        CodecCost best = timed();
        int steady = 0;
        while (steady < STEADY_TIMES) {
            awaitCompiler();
            CodecCost now = timed();
            steady = nanos(now) < FASTER * nanos(best) ? 0 : steady + 1;
            best = nanos(now) < nanos(best) ? now : best;
        }
        return best;
    }

    private static double nanos(CodecCost cost) {
        return cost.encodeNanos() + cost.decodeNanos() + cost.addNanos();
    }

    /** Times many values. Code that was compiled for small arrays may be compiled again meanwhile. */
    private CodecCost timed() throws NonFiniteException, MalformedMessageException {
        var encode = new long[ROUNDS];
        var decode = new long[ROUNDS];
        var add = new long[ROUNDS];
        long bytes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long begun = CLOCK.nanoTime();
            bytes = encode(COUNT);
            long encoded = CLOCK.nanoTime();
            decode(bytes, COUNT);
            long decoded = CLOCK.nanoTime();
            add(bytes, COUNT);
            encode[round] = encoded - begun;
            decode[round] = decoded - encoded;
            add[round] = CLOCK.nanoTime() - decoded;
        }
        return new CodecCost(
                PassDenseCodec.within(codec) instanceof BlockCodec,
                (double) bytes / COUNT,
                perValue(encode),
                perValue(decode),
                perValue(add));
    }

    private void warmUp() throws NonFiniteException, MalformedMessageException {
        UntilSteady.run(CLOCK::nanoTime, () -> {
            long bytes = encode(WARM_UP_COUNT);
            decode(bytes, WARM_UP_COUNT);
            add(bytes, WARM_UP_COUNT);
        });
    }

    /** Waits for Java's compiler. In a young process its queue is long, and a method is compiled only seconds after its request. */
    private static void awaitCompiler() {
        var compiler = new CompilerWatch();
        long end = CLOCK.nanoTime() + COMPILER_NANOS_MAX;
        do {
            LockSupport.parkNanos(POLL_NANOS);
        } while (compiler.isBusy(COMPILER_SHARE_MAX) && CLOCK.nanoTime() < end);
    }

    /** The median, per value. It includes the usual load of a machine that trains meanwhile. */
    private static double perValue(long[] nanos) {
        Arrays.sort(nanos);
        return (double) nanos[ROUNDS / 2] / COUNT;
    }

    private long encode(int count) throws NonFiniteException {
        return keepsResidual
                ? codec.encodeWithResidual(values, residual, left, count, 1, encoded)
                : codec.encode(values, count, 1, encoded);
    }

    private void decode(long bytes, int count) throws MalformedMessageException {
        codec.decode(encoded.asSlice(0, bytes), left, count);
    }

    private void add(long bytes, int count) throws MalformedMessageException {
        codec.decodeAndAdd(encoded.asSlice(0, bytes), left, count);
    }
}
