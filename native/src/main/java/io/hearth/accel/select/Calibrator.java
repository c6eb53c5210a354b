package io.hearth.accel.select;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import io.hearth.accel.Reducer;
import io.hearth.accel.gpu.MetalCodecKernels;
import io.hearth.accel.gpu.MetalReducer;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures CPU against GPU, each kernel at some sizes, and keeps the figures, by which {@link EngineChoice} decides. It takes some
 * seconds if the machine, its system, Java or the kernels are new or the figures are a month old; otherwise it measures nothing.
 *
 * <p>First it calls the CPU's kernels until they are compiled: cold ones are a thousand times slower, and a choice by their times would
 * be kept. It measures everything twice, so that a passing load decides nothing.
 */
final class Calibrator {
    /** Bytes of one operand; from a segment of the wire to a whole piece of the GPU. */
    static final List<Integer> SIZES = List.of(1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24);

    private static final Logger LOG = LoggerFactory.getLogger(Calibrator.class);

    /** Time of one kernel in each round of the warm-up. */
    private static final long WARM_UP_NANOS = 20_000_000;

    private static final int WARM_UPS_MIN = 3;
    private static final int WARM_UPS_MAX = 20;
    private static final int PASSES = 2;
    private static final int ROUNDS = 5;

    /** Version of the way of measuring: figures of another version are measured again. */
    private static final int VERSION = 3;

    private final MetalEngine metal;
    private final Engine cpu;
    private final List<Integer> sizes;
    private final LongSupplier clockNanos;
    private final InstantSource clock;

    /**
     * @param metal borrowed
     * @param sizes bytes of one operand, not empty
     * @param clockNanos as {@link System#nanoTime}
     */
    Calibrator(MetalEngine metal, Engine cpu, List<Integer> sizes, LongSupplier clockNanos, InstantSource clock) {
        this.metal = metal;
        this.cpu = cpu;
        this.sizes = List.copyOf(sizes);
        this.clockNanos = clockNanos;
        this.clock = clock;
    }

    /** Chooses by the stored figures if they fit this machine as it is now, otherwise by new ones, which it stores. */
    EngineChoice choice(CalibrationStore store) {
        Optional<Calibration> kept = kept(store);
        return kept.filter(figures -> figures.holds(clock.instant()))
                .map(figures -> chosen(store, figures))
                .orElseGet(() -> measured(store, kept));
    }

    /** Chooses by new figures, which it stores. */
    EngineChoice again(CalibrationStore store) {
        return measured(store, kept(store));
    }

    private Optional<Calibration> kept(CalibrationStore store) {
        return read(store).filter(figures(Map.of(), List.of())::fits);
    }

    private Calibration figures(Map<KernelKind, Long> metalFrom, List<EngineChoice.Sample> samples) {
        return new Calibration(
                metal.status().device(), versions(), clock.instant(), Optional.empty(), metalFrom, samples);
    }

    private EngineChoice measured(CalibrationStore store, Optional<Calibration> kept) {
        LOG.info("measuring the GPU against the CPU, which takes some seconds, once a month on this machine");
        MetalStatus before = metal.status();
        List<EngineChoice.Sample> samples = measure();
        MetalStatus after = metal.status();
        if (!after.faults().equals(before.faults()) || after.callsOnCpu() != before.callsOnCpu()) {
            LOG.warn(
                    "the GPU failed while it was measured ({}): this process does not use it, the next one measures"
                            + " again",
                    after.why());
            return EngineChoice.never(cpu);
        }
        EngineChoice choice =
                EngineChoice.of(cpu, samples, kept.map(Calibration::metalFrom).orElse(Map.of()));
        Calibration figures = figures(choice.metalFrom(), samples);
        write(store, figures);
        return chosen(store, figures);
    }

    /** Chooses by the figures, sets the timeout of a submission by the longest of them, and keeps later failures beside them. */
    private EngineChoice chosen(CalibrationStore store, Calibration figures) {
        metal.onFirstFaults(why -> kept(store).ifPresent(now -> write(store, now.failed(clock.instant(), why))));
        figures.samples().stream()
                .mapToLong(EngineChoice.Sample::metalNanos)
                .max()
                .ifPresent(metal::expectAtMost);
        return new EngineChoice(cpu, figures.metalFrom());
    }

    static Optional<Calibration> read(CalibrationStore store) {
        try {
            Optional<byte[]> content = store.read();
            Optional<Calibration> kept = content.flatMap(Calibration::decode);
            if (content.isPresent() && kept.isEmpty()) {
                LOG.warn("the kept measurements of the GPU are damaged; they are made again");
            }
            return kept;
        } catch (IOException unreadable) {
            LOG.warn("the kept measurements of the GPU are made again: {}", unreadable.getMessage());
            return Optional.empty();
        }
    }

    private static void write(CalibrationStore store, Calibration measured) {
        try {
            store.write(measured.encode());
        } catch (IOException failed) {
            LOG.warn("the measurements of the GPU are not kept and are made again next time: {}", failed.getMessage());
        }
    }

    /** One line; the kernels and sizes come first and as a checksum, so that they are never cut off. */
    private String versions() {
        return "figures " + VERSION + "-" + figures() + ", java " + Runtime.version() + ", "
                + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + ", kernels " + MetalEngine.kernelsVersion() + ", cpu "
                + cpu.label();
    }

    /** A checksum of the kernels and sizes that are measured. */
    private String figures() {
        var crc = new CRC32();
        crc.update((Arrays.toString(KernelKind.values()) + sizes).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private List<EngineChoice.Sample> measure() {
        Reducer cpuReducer = Engines.newReducer(cpu);
        CodecKernels cpuCodecs = Engines.codecKernels(cpu);
        EngineChoice always = EngineChoice.from(cpu, 0);
        Reducer metalReducer = new MetalReducer(metal, Engines.newReducer(cpu), always);
        CodecKernels metalCodecs = new MetalCodecKernels(metal, cpuCodecs, always);
        warmUp(cpuReducer, cpuCodecs);
        var samples = new ArrayList<EngineChoice.Sample>();
        for (int pass = 0; pass < PASSES; pass++) {
            for (KernelKind kind : KernelKind.values()) {
                for (int bytes : sizes) {
                    try (var run = new KernelRun(kind, bytes, metalReducer::allocate)) {
                        var onCpu = new long[ROUNDS];
                        var onMetal = new long[ROUNDS];
                        run.call(metalReducer, metalCodecs); // allocates its buffers
                        for (int i = 0; i < ROUNDS; i++) {
                            // By turns, so that other load affects both.
                            onCpu[i] = nanos(run, cpuReducer, cpuCodecs);
                            onMetal[i] = nanos(run, metalReducer, metalCodecs);
                        }
                        samples.add(new EngineChoice.Sample(kind, bytes, median(onCpu), median(onMetal)));
                    }
                }
            }
        }
        return samples;
    }

    /** Calls all kernels of the CPU by turns until the compiler is idle. */
    private void warmUp(Reducer reducer, CodecKernels codecs) {
        var runs = new ArrayList<KernelRun>();
        for (KernelKind kind : KernelKind.values()) {
            runs.add(new KernelRun(kind, sizes.getFirst()));
        }
        try {
            var compiler = new CompilerWatch();
            int warmed = 0;
            do {
                for (KernelRun run : runs) {
                    long start = clockNanos.getAsLong();
                    do {
                        run.call(reducer, codecs);
                    } while (clockNanos.getAsLong() - start < WARM_UP_NANOS);
                }
                warmed++;
            } while (warmed < WARM_UPS_MIN || (warmed < WARM_UPS_MAX && compiler.isBusy(CompilerWatch.BUSY)));
        } finally {
            runs.forEach(KernelRun::close);
        }
    }

    /** The median, so that one slow round does not count. */
    private static long median(long[] rounds) {
        Arrays.sort(rounds);
        return rounds[rounds.length / 2];
    }

    private long nanos(KernelRun run, Reducer reducer, CodecKernels codecs) {
        long start = clockNanos.getAsLong();
        run.call(reducer, codecs);
        return Math.max(1, clockNanos.getAsLong() - start);
    }
}
