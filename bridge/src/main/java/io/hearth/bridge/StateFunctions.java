package io.hearth.bridge;

import io.hearth.collective.Tensor;
import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** The functions of the shared state and its steps. {@code hearth.h} describes them. */
final class StateFunctions {
    private static final int NAME_MAX = 64;
    private static final int TENSORS_MAX = 1 << 20;

    private StateFunctions() {}

    static long share(long group, MemorySegment name, MemorySegment pairs, long count) {
        return Answers.of(() -> {
            BridgeGroup ranked = BridgeState.GROUPS.get(group);
            ranked.shared().share(ranked.ranks(), name(name), tensors(pairs, count));
            return 0;
        });
    }

    private static List<Tensor> tensors(MemorySegment pairs, long count) {
        if (count < 0 || count > TENSORS_MAX) {
            throw new IllegalArgumentException("0 to " + TENSORS_MAX + " tensors can be shared as one, got " + count);
        }
        MemorySegment all = NativeText.buffer(pairs, count * 2 * Long.BYTES);
        var tensors = new ArrayList<Tensor>();
        for (long i = 0; i < count; i++) {
            long address = all.get(ValueLayout.JAVA_LONG_UNALIGNED, i * 2 * Long.BYTES);
            long bytes = all.get(ValueLayout.JAVA_LONG_UNALIGNED, (i * 2 + 1) * Long.BYTES);
            tensors.add(Tensor.of(NativeText.buffer(MemorySegment.ofAddress(address), bytes), DataType.UINT8));
        }
        return tensors;
    }

    static long unshare(long group, MemorySegment name) {
        return Answers.of(() -> {
            BridgeGroup ranked = BridgeState.GROUPS.get(group);
            ranked.shared().unshare(ranked.ranks(), name(name));
            return 0;
        });
    }

    static long shareBlob(long group, MemorySegment name, long bytesMax) {
        return Answers.of(() -> {
            BridgeGroup ranked = BridgeState.GROUPS.get(group);
            ranked.shared().shareBlob(ranked.ranks(), name(name), NativeText.number(bytesMax, "bytes_max"));
            return 0;
        });
    }

    static long setBlob(long group, MemorySegment name, MemorySegment bytes, long length) {
        return Answers.of(() -> {
            BridgeState.GROUPS
                    .get(group)
                    .shared()
                    .setBlob(name(name), NativeText.buffer(bytes, length).toArray(ValueLayout.JAVA_BYTE));
            return 0;
        });
    }

    static long getBlob(long group, MemorySegment name, MemorySegment bytes, long capacity) {
        return Answers.of(
                () -> NativeText.write(BridgeState.GROUPS.get(group).shared().getBlob(name(name)), bytes, capacity));
    }

    static long resumeAt(long group, long step) {
        return Answers.of(() -> {
            BridgeState.GROUPS.get(group).ranks().resumeAt(step);
            return 0;
        });
    }

    static long beginStep(long group) {
        return Answers.of(
                () -> BridgeState.begin(() -> BridgeState.GROUPS.get(group).beginStep()));
    }

    private static String name(MemorySegment pointer) {
        return NativeText.read(pointer, "the name", NAME_MAX);
    }
}
