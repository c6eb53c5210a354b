package io.hearth.accel.metal;

import java.util.ArrayList;
import java.util.List;

/** The dispatches of one command buffer, one after the other; reused, and used by one thread at a time. */
final class Commands {
    private final List<Dispatch> dispatches = new ArrayList<>();
    private int count;

    /** Removes all dispatches. */
    void clear() {
        count = 0;
    }

    /** Adds a dispatch, which the caller fills; {@code units} as in {@link Dispatch#units}. */
    Dispatch add(Kernel kernel, long units) {
        if (count == dispatches.size()) {
            dispatches.add(new Dispatch());
        }
        return dispatches.get(count++).begin(kernel, units);
    }

    int count() {
        return count;
    }

    Dispatch get(int index) {
        return dispatches.get(index);
    }
}
