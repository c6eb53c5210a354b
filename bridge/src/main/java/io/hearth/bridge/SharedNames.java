package io.hearth.bridge;

import io.hearth.collective.DistributedContext;
import io.hearth.collective.StateBlob;
import io.hearth.collective.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/** What a program shares, by name. Memory may be replaced between two steps, because the program may have moved or freed it. */
final class SharedNames {
    private final Map<String, AtomicReference<List<Tensor>>> tensors = new ConcurrentHashMap<>();
    private final Map<String, Blob> blobs = new ConcurrentHashMap<>();

    /** Bytes that the program sets before a step and reads after one that replaced its state. */
    private static final class Blob implements StateBlob {
        private final AtomicReference<byte[]> bytes = new AtomicReference<>(new byte[0]);

        @Override
        public byte[] save() {
            return bytes.get();
        }

        @Override
        public void load(byte[] saved) {
            bytes.set(saved);
        }
    }

    /** Shares tensors under a name, or replaces those that it has. */
    void share(DistributedContext ranks, String name, List<Tensor> memory) {
        var fresh = new AtomicReference<>(List.copyOf(memory));
        var known = tensors.putIfAbsent(name, fresh);
        if (known != null) {
            known.set(fresh.get());
            return;
        }
        try {
            ranks.share(name, fresh::get);
        } catch (RuntimeException refused) {
            tensors.remove(name);
            throw refused;
        }
    }

    void shareBlob(DistributedContext ranks, String name, int bytesMax) {
        var blob = new Blob();
        ranks.share(name, bytesMax, blob);
        blobs.put(name, blob);
    }

    void unshare(DistributedContext ranks, String name) {
        ranks.unshare(name);
        tensors.remove(name);
        blobs.remove(name);
    }

    void setBlob(String name, byte[] bytes) {
        blob(name).bytes.set(bytes);
    }

    byte[] getBlob(String name) {
        return blob(name).bytes.get();
    }

    private Blob blob(String name) {
        return Optional.ofNullable(blobs.get(name))
                .orElseThrow(() -> new IllegalArgumentException("no blob is shared as '" + name + "'"));
    }
}
