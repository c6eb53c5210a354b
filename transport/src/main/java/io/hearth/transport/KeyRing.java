package io.hearth.transport;

import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.roster.Common;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The keys that new links prove: those of the current secret, and of the former one for machines that were away. Existing links keep their
 * keys.
 */
public final class KeyRing implements AutoCloseable {
    private final ReentrantLock changing = new ReentrantLock();
    private final List<NamespaceKeys> owned = new ArrayList<>(); // under changing
    private volatile Keys keys; // written by use(), read by handshakes

    /** The keys of one handshake; they do not change while it runs. */
    public record Keys(NamespaceKeys current, Bytes id, Optional<NamespaceKeys> former) {
        private static Keys of(NamespaceKeys current, Optional<NamespaceKeys> former) {
            return new Keys(current, Bytes.of(current.id()), former);
        }

        public Optional<Bytes> formerId() {
            return former.map(old -> Bytes.of(old.id()));
        }

        /** The keys that both sides have; empty if they have none in common. */
        public Optional<NamespaceKeys> shared(Common common) {
            return switch (common) {
                case CURRENT, PEER_IS_AHEAD -> Optional.of(current);
                case PEER_IS_BEHIND, DIVERGED -> former;
                case NONE -> Optional.empty();
            };
        }
    }

    private KeyRing(Keys keys) {
        this.keys = keys;
    }

    /** A ring of one set of keys, which the caller still owns. */
    public static KeyRing borrowed(NamespaceKeys current) {
        return new KeyRing(Keys.of(current, Optional.empty()));
    }

    /** A ring that owns its keys. */
    public static KeyRing of(NamespaceKeys current, Optional<NamespaceKeys> former) {
        var ring = new KeyRing(Keys.of(current, former));
        ring.own(current, former);
        return ring;
    }

    /** Uses other keys from the next handshake on. The ring owns them. It overwrites former keys when it is closed. */
    public void use(NamespaceKeys current, Optional<NamespaceKeys> former) {
        own(current, former);
        keys = Keys.of(current, former);
    }

    private void own(NamespaceKeys current, Optional<NamespaceKeys> former) {
        changing.lock();
        try {
            owned.add(current);
            former.ifPresent(owned::add);
        } finally {
            changing.unlock();
        }
    }

    public Keys keys() {
        return keys;
    }

    @Override
    public void close() {
        changing.lock();
        try {
            owned.forEach(NamespaceKeys::close);
            owned.clear();
        } finally {
            changing.unlock();
        }
    }
}
