package io.hearth.bridge;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Objects of one kind by the numbers that the calling program knows. No number is used twice.
 *
 * @param <T> an object
 */
final class Handles<T> {
    private final String kind;
    private final int most;
    private final AtomicLong next = new AtomicLong(1);
    private final Map<Long, T> open = new ConcurrentHashMap<>();

    /**
     * Without any object.
     *
     * @param kind for errors
     * @param most objects at a time
     */
    Handles(String kind, int most) {
        this.kind = kind;
        this.most = most;
    }

    /**
     * Gives an object its number, 1 or more.
     *
     * @throws IllegalStateException if there are too many
     */
    long add(T object) {
        if (open.size() >= most) {
            throw new IllegalStateException(
                    "more than " + most + " " + kind + "s are open: wait for those that were begun");
        }
        long handle = next.getAndIncrement();
        open.put(handle, object);
        return handle;
    }

    /**
     * The object of that number.
     *
     * @throws IllegalArgumentException if there is none any more, or never was
     */
    T get(long handle) {
        return Optional.ofNullable(open.get(handle))
                .orElseThrow(() -> new IllegalArgumentException("no " + kind + " has the handle " + handle
                        + (handle > 0 && handle < next.get() ? " any more: it was closed, or waited for" : "")));
    }

    void remove(long handle) {
        open.remove(handle);
    }

    /** Forgets all objects to which this applies. */
    void removeIf(Predicate<T> applies) {
        open.values().removeIf(applies);
    }
}
