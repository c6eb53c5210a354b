package io.hearth.agent.status;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * The newest version of a value that one thread publishes and others read or wait for.
 *
 * @param <T> an immutable value
 */
public final class VersionedValue<T> {
    /** A value and its number, rising by one with each publication. */
    public record Version<T>(long number, T value) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile Version<T> newest; // written under the lock, read anywhere

    public VersionedValue(T first) {
        newest = new Version<>(1, first);
    }

    public T value() {
        return newest.value();
    }

    /** Replaces the value; an equal one changes nothing and wakes no thread. */
    public void publish(T value) {
        lock.lock();
        try {
            if (!value.equals(newest.value())) {
                newest = new Version<>(newest.number() + 1, value);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes waiting threads although the value is the same, because something else changed. */
    public void touch() {
        lock.lock();
        try {
            newest = new Version<>(newest.number() + 1, newest.value());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a version newer than {@code number}; returns at once if there is one. */
    public Version<T> awaitAfter(long number) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (newest.number() <= number) {
                changed.await();
            }
            return newest;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a value satisfies {@code wanted}; empty if {@code timeout} ends first. */
    public Optional<T> await(Predicate<T> wanted, Duration timeout) throws InterruptedException {
        long left = bounded(timeout).toNanos();
        lock.lockInterruptibly();
        try {
            while (!wanted.test(newest.value())) {
                if (left <= 0) {
                    return Optional.empty();
                }
                left = Math.min(left, changed.awaitNanos(left));
            }
            return Optional.of(newest.value());
        } finally {
            lock.unlock();
        }
    }

    /** The timeout, limited so that its nanoseconds do not overflow. */
    private static Duration bounded(Duration timeout) {
        Duration longest = Duration.ofNanos(TimeUnit.DAYS.toNanos(365));
        return timeout.compareTo(longest) > 0 ? longest : timeout;
    }
}
