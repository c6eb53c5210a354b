package io.hearth.accel;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures CPU against GPU, each kernel at some sizes, and keeps the figures: what {@link EngineChoice} decides by. Takes about two
 * seconds when a machine, its system, Java or the kernels are new, and nothing afterwards.
 */
final class Calibrator {
    /** Bytes of one operand; from a segment as it comes from the wire to a whole piece of the GPU's. */
    static final List<Integer> SIZES = List.of(1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24);

    private static final Logger LOG = LoggerFactory.getLogger(Calibrator.class);

    /** Until the compiler has seen a kernel of the CPU often enough: a cold one would lose against the GPU. */
    private static final long WARM_UP_NANOS = 40_000_000;

    private static final int ROUNDS = 5;

    /** Of how it is measured: figures of another version are made anew. */
    private static final int VERSION = 2;

    private final MetalEngine metal;
    private final Engine cpu;
    private final List<Integer> sizes;
    private final LongSupplier clockNanos;

    /**
     * @param metal borrowed
     * @param sizes bytes of one operand, not empty
     * @param clockNanos as {@link System#nanoTime}
     */
    Calibrator(MetalEngine metal, Engine cpu, List<Integer> sizes, LongSupplier clockNanos) {
        this.metal = metal;
        this.cpu = cpu;
        this.sizes = List.copyOf(sizes);
        this.clockNanos = clockNanos;
    }

    /** By the figures that are kept, if they are of this machine as it is now, else by new ones, which are kept then. */
    EngineChoice choice(CalibrationStore store) {
        var wanted = new Calibration(metal.status().device(), versions(), List.of());
        Optional<Calibration> kept = read(store).filter(wanted::fits);
        if (kept.isPresent()) {
            return EngineChoice.of(cpu, kept.get().samples());
        }
        LOG.info("measuring the GPU against the CPU, which takes some seconds, once on this machine");
        MetalStatus before = metal.status();
        var measured = new Calibration(wanted.hardware(), wanted.versions(), measure());
        MetalStatus after = metal.status();
        if (!after.faults().equals(before.faults()) || after.callsOnCpu() != before.callsOnCpu()) {
            LOG.warn(
                    "the GPU failed while it was measured ({}): this process does without it, the next one measures anew",
                    after.why());
            return EngineChoice.never(cpu);
        }
        write(store, measured);
        return EngineChoice.of(cpu, measured.samples());
    }

    private static Optional<Calibration> read(CalibrationStore store) {
        try {
            Optional<byte[]> content = store.read();
            Optional<Calibration> kept = content.flatMap(Calibration::decode);
            if (content.isPresent() && kept.isEmpty()) {
                LOG.warn("the kept measurements of the GPU are damaged; they are made anew");
            }
            return kept;
        } catch (IOException unreadable) {
            LOG.warn("the kept measurements of the GPU are made anew: {}", unreadable.getMessage());
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

    /** One line; what is measured comes first and in short, so that it is never what is cut off. */
    private String versions() {
        return "figures " + VERSION + "-" + figures() + ", java " + Runtime.version() + ", "
                + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + ", kernels " + MetalEngine.kernelsVersion() + ", cpu "
                + cpu.label();
    }

    /** Changes when other kernels or other sizes are measured. */
    private String figures() {
        var crc = new CRC32();
        crc.update((Arrays.toString(KernelKind.values()) + sizes).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private List<EngineChoice.Sample> measure() {
        Reducer cpuReducer = cpu.newReducer();
        CodecKernels cpuCodecs = cpu.codecKernels();
        EngineChoice always = EngineChoice.from(cpu, 0);
        Reducer metalReducer = new MetalReducer(metal, cpu.newReducer(), always);
        CodecKernels metalCodecs = new MetalCodecKernels(metal, cpuCodecs, always);
        var samples = new ArrayList<EngineChoice.Sample>();
        for (KernelKind kind : KernelKind.values()) {
            try (var run = new KernelRun(kind, sizes.getFirst())) {
                long start = clockNanos.getAsLong();
                do {
                    run.call(cpuReducer, cpuCodecs);
                } while (clockNanos.getAsLong() - start < WARM_UP_NANOS);
            }
            for (int bytes : sizes) {
                try (var run = new KernelRun(kind, bytes)) {
                    var onCpu = new long[ROUNDS];
                    var onMetal = new long[ROUNDS];
                    run.call(metalReducer, metalCodecs); // its buffers are made
                    for (int i = 0; i < ROUNDS; i++) {
                        // In turns, so that other load strikes both.
                        onCpu[i] = nanos(run, cpuReducer, cpuCodecs);
                        onMetal[i] = nanos(run, metalReducer, metalCodecs);
                    }
                    samples.add(new EngineChoice.Sample(kind, bytes, median(onCpu), median(onMetal)));
                }
            }
        }
        return samples;
    }

    /** One slow round of either says nothing about the others. */
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
