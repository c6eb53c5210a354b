package io.hearth.collective.exchange;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stops data threads for a freeze or for a pause: each thread passes the gate once per record. {@link #freeze} and {@link #rest} return
 * when no thread is inside. This is soon, because no thread blocks inside.
 */
public final class Gate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean frozen;
    private boolean resting;
    private int inside;

    /** From now on no thread enters, until {@link #thaw}. */
    public void freeze() {
        change(() -> frozen = true);
    }

    public void thaw() {
        change(() -> frozen = false);
    }

    /** From now on no thread enters, until {@link #resume}. */
    public void rest() {
        change(() -> resting = true);
    }

    public void resume() {
        change(() -> resting = false);
    }

    private void change(Runnable what) {
        lock.lock();
        try {
            what.run();
            while ((frozen || resting) && inside > 0) {
                changed.awaitUninterruptibly();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the waiting threads, so that they notice that their mesh was abandoned. */
    public void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits while the gate is closed, then enters; {@link #leave} must follow.
     *
     * @throws IOException the mesh was abandoned
     */
    public void enter(Mesh mesh) throws IOException {
        lock.lock();
        try {
            while ((frozen || resting) && !mesh.isAbandoned()) {
                changed.awaitUninterruptibly();
            }
            mesh.check();
            inside++;
        } finally {
            lock.unlock();
        }
    }

    public void leave() {
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

    /** Whether a thread may enter without waiting. */
    public boolean isOpen() {
        lock.lock();
        try {
            return !frozen && !resting;
        } finally {
            lock.unlock();
        }
    }

    /** Waits while the gate is closed. */
    void pass(Mesh mesh) throws IOException {
        enter(mesh);
        leave();
    }
}
