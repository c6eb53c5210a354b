package io.hearth.accel;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The engine for each call: the GPU from a number of bytes on, the CPU below it, chosen for each kernel on its own. Pure.
 *
 * <p>A submission to a GPU costs 0.1 to 0.2 ms whatever its size, and CPU and GPU of one chip share their memory's bandwidth. So
 * the GPU is taken only where all measurements on this machine say that it takes at most {@link #GAIN} of the CPU's time, at that
 * size and at every larger one. A GPU that was taken before stays until all measurements say the same of the CPU: a measurement by which
 * both are about as fast changes nothing.
 *
 * @param cpu the engine for all other calls
 * @param metalFrom by kernel, the bytes of one operand from which the GPU does it; a kernel that the GPU never does is absent
 */
public record EngineChoice(Engine cpu, Map<KernelKind, Long> metalFrom) {
    /** A forced GPU does calls from this size on: below it a submission alone takes a hundred times as long as the CPU. */
    public static final long FORCED_BYTES_MIN = 1 << 16;

    /** The GPU must take at most this share of the CPU's time; a smaller gain may be chance. */
    public static final double GAIN = 0.8;

    /**
     * The times of one kernel at one size on CPU and GPU.
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

    /** Copies the map; {@code cpu} must not be METAL. */
    public EngineChoice {
        if (cpu == Engine.METAL) {
            throw new IllegalArgumentException("cpu must not be METAL: it does the calls that Metal does not do");
        }
        metalFrom = Map.copyOf(metalFrom);
    }

    /** Every call is the CPU's. */
    public static EngineChoice never(Engine cpu) {
        return new EngineChoice(cpu, Map.of());
    }

    /** The GPU does every kernel from {@code bytes} on. */
    public static EngineChoice from(Engine cpu, long bytes) {
        var from = new EnumMap<KernelKind, Long>(KernelKind.class);
        for (KernelKind kind : KernelKind.values()) {
            from.put(kind, bytes);
        }
        return new EngineChoice(cpu, from);
    }

    /**
     * Chooses by measurements, in any order, one or several of each size.
     *
     * @param before {@link #metalFrom} until now
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

    /** The engine for a call with operands of {@code bytes} each, if the GPU works. */
    public Engine engine(KernelKind kind, long bytes) {
        return bytes >= metalFrom(kind) ? Engine.METAL : cpu;
    }

    /** Bytes of one operand from which the GPU does the kernel; {@link Long#MAX_VALUE} if it never does. */
    public long metalFrom(KernelKind kind) {
        return metalFrom.getOrDefault(kind, Long.MAX_VALUE);
    }
}
