package io.hearth.collective.engine;

import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.group.GroupMachine;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Results of ended calls that a member may still lack. They are few, so this is a small table without garbage. */
final class KeptResults {
    private long[] numbers = new long[GroupMachine.WINDOW + 1];
    private Buffers.@Nullable Buffer[] results = new Buffers.@Nullable Buffer[numbers.length]; // null: a free entry

    /** The result of a number; {@code null} if it is not kept. */
    Buffers.@Nullable Buffer of(long number) {
        int place = place(number);
        return place < 0 ? null : results[place];
    }

    void put(long number, Buffers.Buffer result) {
        int place = place(number);
        for (int free = 0; free < results.length && place < 0; free++) {
            place = results[free] == null ? free : place;
        }
        if (place < 0) {
            place = results.length;
            numbers = Arrays.copyOf(numbers, 2 * place);
            results = Arrays.copyOf(results, 2 * place);
        }
        numbers[place] = number;
        results[place] = result;
    }

    /** Removes and returns the result of a number; {@code null} if it was not kept. */
    Buffers.@Nullable Buffer remove(long number) {
        int place = place(number);
        if (place < 0) {
            return null;
        }
        Buffers.Buffer removed = results[place];
        results[place] = null;
        return removed;
    }

    /** Removes all results and passes them to {@code to}. */
    void removeAll(Consumer<Buffers.Buffer> to) {
        for (int place = 0; place < results.length; place++) {
            Buffers.Buffer kept = results[place];
            results[place] = null;
            if (kept != null) {
                to.accept(kept);
            }
        }
    }

    private int place(long number) {
        for (int place = 0; place < results.length; place++) {
            if (results[place] != null && numbers[place] == number) {
                return place;
            }
        }
        return -1;
    }
}
