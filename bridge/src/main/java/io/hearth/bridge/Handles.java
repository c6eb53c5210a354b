package io.hearth.bridge;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
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
    private final Semaphore places;
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
        places = new Semaphore(most);
    }

    /**
     * Reserves a place, makes an object for it, and gives that its number, 1 or more. With no place left, nothing is made: what a call
     * begins works on the caller's memory, and cannot be taken back.
     *
     * @throws IllegalStateException if there are too many
     */
    long add(Callable<? extends T> source) throws Exception {
        if (!places.tryAcquire()) {
            throw new IllegalStateException(
                    "more than " + most + " " + kind + "s are open: wait for those that were begun");
        }
        boolean isAdded = false;
        try {
            long handle = next.getAndIncrement();
            open.put(handle, source.call());
            isAdded = true;
            return handle;
        } finally {
            if (!isAdded) {
                places.release();
            }
        }
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
        if (open.remove(handle) != null) {
            places.release();
        }
    }

    /** Forgets all objects to which this applies. */
    void removeIf(Predicate<T> applies) {
        open.forEach((handle, object) -> {
            if (applies.test(object)) {
                remove(handle);
            }
        });
    }
}
