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
import java.util.Arrays;
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

    private final Map<DataType, Long> combineManyFrom = new EnumMap<>(DataType.class);

    /** Bytes below which no kernel of the GPU is asked. */
    private final long leastBytes;

    /** {@code metal} is shared with others, {@code cpu} belongs to this reducer. */
    public MetalReducer(MetalEngine metal, Reducer cpu, EngineChoice choice) {
        this.metal = metal;
        this.cpu = cpu;
        codecs = new MetalCodecKernels(metal, cpu.codecKernels(), choice);
        for (DataType type : DataType.values()) {
            KernelKind.combining(type).ifPresent(kind -> combineFrom.put(type, choice.metalFrom(kind)));
            KernelKind.combiningMany(type).ifPresent(kind -> combineManyFrom.put(type, choice.metalFrom(kind)));
        }
        leastBytes = choice.metalFrom().values().stream()
                .mapToLong(from -> from)
                .min()
                .orElse(NEVER);
    }

    private boolean takes(Map<DataType, Long> from, DataType type, long count) {
        return count * type.bytes() >= from.getOrDefault(type, NEVER) && metal.takes(type, count);
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
        if (takes(combineFrom, type, count)) {
            done = metal.combine(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
        }
        if (done < count) {
            long at = (long) done * type.bytes();
            cpu.combine(
                    type, op, target, targetOffset + at, left, leftOffset + at, right, rightOffset + at, count - done);
        }
    }

    @Override
    public void combineAll(
            DataType type, ReduceOp op, MemorySegment target, long targetOffset, MemorySegment[] inputs, int count) {
        Operands.checkAll(type, op, target, targetOffset, inputs, count);
        if (!takes(combiningFrom(inputs.length), type, count)) {
            cpu.combineAll(type, op, target, targetOffset, inputs, count);
            return;
        }
        if (inputs.length <= MetalEngine.INPUTS_MAX) {
            combineSome(type, op, target, targetOffset, inputs, count);
            return;
        }
        int first = MetalEngine.INPUTS_MAX;
        combineSome(type, op, target, targetOffset, Arrays.copyOf(inputs, first), count);
        for (int next = first; next < inputs.length; ) {
            int more = Math.min(inputs.length - next, MetalEngine.INPUTS_MAX - 1);
            var group = new MemorySegment[1 + more];
            group[0] = target.asSlice(targetOffset);
            System.arraycopy(inputs, next, group, 1, more);
            combineSome(type, op, target, targetOffset, group, count);
            next += more;
        }
    }

    private Map<DataType, Long> combiningFrom(int inputs) {
        return inputs > 2 ? combineManyFrom : combineFrom;
    }

    @Override
    public long combineAllFrom(DataType type, int inputs) {
        long from = combiningFrom(inputs).getOrDefault(type, NEVER);
        return from == NEVER || !metal.takes(type, Math.ceilDiv(from, type.bytes())) ? NEVER : from;
    }

    @Override
    public Optional<EngineMemory> allocate(long bytes) {
        return bytes < leastBytes
                ? Optional.empty()
                : metal.allocate(bytes).map(memory -> new EngineMemory(memory.segment(), memory::close));
    }

    private void combineSome(
            DataType type, ReduceOp op, MemorySegment target, long targetOffset, MemorySegment[] inputs, int count) {
        int done = metal.combine(type, op, target, targetOffset, inputs, count);
        if (done < count) {
            long at = (long) done * type.bytes();
            var rest = new MemorySegment[inputs.length];
            for (int i = 0; i < rest.length; i++) {
                rest[i] = inputs[i].asSlice(at);
            }
            cpu.combineAll(type, op, target, targetOffset + at, rest, count - done);
        }
    }

    /** By the CPU: it would take as long to copy the GPU's quotients to their place. */
    @Override
    public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        cpu.divide(type, values, offset, count, divisor);
    }
}
