package io.hearth.compression.memory;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tensors of one memory by name, with an upper bound of their number. */
final class Tensors {
    private final int tensorsMax;
    private final boolean isNarrow;
    private SortedMap<String, TensorMemory> byKey = new TreeMap<>();

    Tensors(int tensorsMax, boolean isNarrow) {
        if (tensorsMax < 1) {
            throw new IllegalArgumentException("need tensorsMax >= 1, got " + tensorsMax);
        }
        this.tensorsMax = tensorsMax;
        this.isNarrow = isNarrow;
    }

    boolean isNarrow() {
        return isNarrow;
    }

    int tensorsMax() {
        return tensorsMax;
    }

    /** The tensor of that name, which must not be pending; a fresh one if there is none of that number of floats and shape. */
    TensorMemory idle(String key, long floats, long shape) {
        TensorMemory known = byKey.get(key);
        if (known != null) {
            known.checkIdle(key);
            if (known.floats() == floats && known.shape() == shape) {
                return known;
            }
            forget(key);
        }
        requireRoom(key);
        var fresh = new TensorMemory(floats, shape, isNarrow);
        byKey.put(key, fresh);
        return fresh;
    }

    void requireRoom(String key) {
        if (byKey.size() >= tensorsMax && !byKey.containsKey(key)) {
            throw new IllegalStateException("the gradient memory is full: it holds at most " + tensorsMax
                    + " tensors; use the same keys in every step, or allow more");
        }
    }

    @Nullable
    TensorMemory known(String key) {
        return byKey.get(key);
    }

    void forget(String key) {
        TensorMemory known = byKey.get(key);
        if (known != null) {
            known.checkIdle(key);
            byKey.remove(key);
            known.close();
        }
    }

    /** All tensors, none of which may be pending, in the order of their names. */
    SortedMap<String, TensorMemory> allIdle() {
        byKey.forEach((key, tensor) -> tensor.checkIdle(key));
        return byKey;
    }

    /** Replaces all tensors by {@code fresh} and closes the old ones. */
    void replace(SortedMap<String, TensorMemory> fresh) {
        SortedMap<String, TensorMemory> old = allIdle();
        byKey = fresh;
        old.values().forEach(TensorMemory::close);
    }

    void close() {
        byKey.values().forEach(TensorMemory::close);
        byKey.clear();
    }
}
