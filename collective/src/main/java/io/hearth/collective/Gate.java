package io.hearth.collective;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where data threads stop for a freeze: each passes once per record. {@link #shut} returns when no thread is inside, which is
 * soon, because nobody blocks inside.
 */
final class Gate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean shut;
    private int inside;

    /** From now on nobody enters; returns when the last one is out. */
    void shut() {
        lock.lock();
        try {
            shut = true;
            while (inside > 0) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    void open() {
        lock.lock();
        try {
            shut = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets those who wait here see that their ring was abandoned. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits while the gate is shut, then goes in; {@link #leave} must follow.
     *
     * @throws IOException the ring was abandoned
     */
    void enter(Ring ring) throws IOException {
        lock.lock();
        try {
            while (shut && !ring.isAbandoned()) {
                changed.awaitUninterruptibly();
            }
            ring.check();
            inside++;
        } finally {
            lock.unlock();
        }
    }

    void leave() {
        lock.lock();
        try {
            inside--;
            if (inside == 0) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits while the gate is shut. */
    void pass(Ring ring) throws IOException {
        enter(ring);
        leave();
    }
}
