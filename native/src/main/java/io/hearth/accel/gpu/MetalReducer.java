package io.hearth.accel.gpu;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.EngineMemory;
import io.hearth.accel.KernelKind;
import io.hearth.accel.Operands;
import io.hearth.accel.Reducer;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reductions by the GPU where it has the kernel and {@link EngineChoice} gives it the call. Another engine does the rest: short runs,
 * other types, divisions, and the part of a call that the GPU left undone.
 */
public final class MetalReducer implements Reducer {
    private static final Long NEVER = Long.MAX_VALUE; // boxed once, so that no call allocates

    private final MetalEngine metal;
    private final Reducer cpu;
    private final CodecKernels codecs;

    /** By type, the bytes of an operand from which the GPU is asked. */
    private final Map<DataType, Long> combineFrom = new EnumMap<>(DataType.class);

    /** Bytes below which no kernel of the GPU is asked. */
    private final long leastBytes;

    /** {@code metal} is shared with others, {@code cpu} belongs to this reducer. */
    public MetalReducer(MetalEngine metal, Reducer cpu, EngineChoice choice) {
        this.metal = metal;
        this.cpu = cpu;
        codecs = new MetalCodecKernels(metal, cpu.codecKernels(), choice);
        for (DataType type : DataType.values()) {
            KernelKind.combining(type).ifPresent(kind -> combineFrom.put(type, choice.metalFrom(kind)));
        }
        leastBytes = choice.metalFrom().values().stream()
                .mapToLong(from -> from)
                .min()
                .orElse(NEVER);
    }

    private boolean takes(DataType type, long count) {
        return count * type.bytes() >= combineFrom.getOrDefault(type, NEVER) && metal.takes(type, count);
    }

    @Override
    public CodecKernels codecKernels() {
        return codecs;
    }

    @Override
    public String name() {
        return Engine.METAL.label();
    }

    @Override
    public void combine(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        Operands.check(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
        int done = 0;
        if (takes(type, count)) {
            done = metal.combine(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
        }
        if (done < count) {
            long at = (long) done * type.bytes();
            cpu.combine(
                    type, op, target, targetOffset + at, left, leftOffset + at, right, rightOffset + at, count - done);
        }
    }

    @Override
    public Optional<EngineMemory> allocate(long bytes) {
        return bytes < leastBytes
                ? Optional.empty()
                : metal.allocate(bytes).map(memory -> new EngineMemory(memory.segment(), memory::close));
    }

    /** By the CPU: it would take as long to copy the GPU's quotients to their place. */
    @Override
    public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        cpu.divide(type, values, offset, count, divisor);
    }
}
