package io.hearth.transport.control;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The key from which the keys of a link's data streams are derived; wiped when the link ends. */
public final class LinkKey {
    private final ReentrantLock lock = new ReentrantLock(); // the link's thread wipes while others copy
    private final byte[] key;
    private boolean wiped;

    /** @param key owned by this object from now on */
    public LinkKey(byte[] key) {
        this.key = key;
    }

    /** A copy for the caller to wipe; empty once the link ended. */
    public Optional<byte[]> copy() {
        lock.lock();
        try {
            return wiped ? Optional.empty() : Optional.of(key.clone());
        } finally {
            lock.unlock();
        }
    }

    public void wipe() {
        lock.lock();
        try {
            wiped = true;
            Arrays.fill(key, (byte) 0);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "LinkKey[redacted]";
    }
}
