package io.hearth.accel;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which engine does a call: the GPU from so many bytes on, the CPU below, each kernel for itself. Pure.
 *
 * <p>A submission to a GPU costs 0.1 to 0.2 ms whatever its size, and CPU and GPU of one chip share their memory's bandwidth. So
 * the GPU is taken only where all measurements on this machine say that it takes at most {@link #GAIN} of the CPU's time, at that
 * size and at every larger one. Where it was taken before, it stays until all measurements say the same of the CPU: a new measurement
 * by which both are about as fast changes nothing.
 *
 * @param cpu does all else
 * @param metalFrom bytes of one operand from which the GPU does a kernel; those that it never does are absent
 */
public record EngineChoice(Engine cpu, Map<KernelKind, Long> metalFrom) {
    /** Below it nobody can want the GPU: its submission alone takes a hundred times as long as the CPU. */
    public static final long FORCED_BYTES_MIN = 1 << 16;

    /** A smaller gain may be chance. */
    public static final double GAIN = 0.8;

    /**
     * One kernel at one size on both.
     *
     * @param bytes of one operand, float32 for the codecs' kernels; positive
     * @param cpuNanos of one call on the CPU; positive
     * @param metalNanos of one call on the GPU, copies to it and back included; positive
     */
    public record Sample(KernelKind kind, long bytes, long cpuNanos, long metalNanos) {
        /** Checks the ranges. */
        public Sample {
            if (bytes < 1 || cpuNanos < 1 || metalNanos < 1) {
                throw new IllegalArgumentException(
                        "need positive figures, got " + bytes + ", " + cpuNanos + " and " + metalNanos);
            }
        }

        boolean metalWins() {
            return metalNanos <= GAIN * cpuNanos;
        }

        boolean cpuWins() {
            return cpuNanos <= GAIN * metalNanos;
        }
    }

    /** Copies the map; METAL is no CPU. */
    public EngineChoice {
        if (cpu == Engine.METAL) {
            throw new IllegalArgumentException("Metal needs another engine for what it does not do");
        }
        metalFrom = Map.copyOf(metalFrom);
    }

    /** All on the CPU. */
    public static EngineChoice never(Engine cpu) {
        return new EngineChoice(cpu, Map.of());
    }

    /** On the GPU whatever it takes, from so many bytes on. */
    public static EngineChoice from(Engine cpu, long bytes) {
        var from = new EnumMap<KernelKind, Long>(KernelKind.class);
        for (KernelKind kind : KernelKind.values()) {
            from.put(kind, bytes);
        }
        return new EngineChoice(cpu, from);
    }

    /**
     * By measurements, in any order, several of each size or one.
     *
     * @param before what {@link #metalFrom} was until now
     */
    public static EngineChoice of(Engine cpu, List<Sample> samples, Map<KernelKind, Long> before) {
        var from = new EnumMap<KernelKind, Long>(KernelKind.class);
        for (KernelKind kind : KernelKind.values()) {
            var bySize = new TreeMap<Long, List<Sample>>();
            for (Sample sample : samples) {
                if (sample.kind() == kind) {
                    bySize.computeIfAbsent(sample.bytes(), _ -> new ArrayList<>())
                            .add(sample);
                }
            }
            long stays = before.getOrDefault(kind, Long.MAX_VALUE);
            long least = Long.MAX_VALUE;
            for (Map.Entry<Long, List<Sample>> size : bySize.descendingMap().entrySet()) {
                boolean takes = size.getKey() >= stays
                        ? !size.getValue().stream().allMatch(Sample::cpuWins)
                        : size.getValue().stream().allMatch(Sample::metalWins);
                if (!takes) {
                    break;
                }
                least = size.getKey();
            }
            if (least != Long.MAX_VALUE) {
                from.put(kind, least);
            }
        }
        return new EngineChoice(cpu, from);
    }

    /** Who does a call with operands of so many bytes each, if the GPU is there and well. */
    public Engine engine(KernelKind kind, long bytes) {
        return bytes >= metalFrom(kind) ? Engine.METAL : cpu;
    }

    /** Bytes of one operand from which the GPU does it, {@link Long#MAX_VALUE} if it never does. */
    public long metalFrom(KernelKind kind) {
        return metalFrom.getOrDefault(kind, Long.MAX_VALUE);
    }
}
