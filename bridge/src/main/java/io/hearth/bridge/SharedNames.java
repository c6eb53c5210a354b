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
        private final int bytesMax;

        private Blob(int bytesMax) {
            this.bytesMax = bytesMax;
        }

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
        var blob = new Blob(bytesMax);
        ranks.share(name, bytesMax, blob);
        blobs.put(name, blob);
    }

    void unshare(DistributedContext ranks, String name) {
        ranks.unshare(name);
        tensors.remove(name);
        blobs.remove(name);
    }

    /** Sets a blob; one that is too long is refused here, not by a step that all ranks make. */
    void setBlob(String name, byte[] bytes) {
        Blob blob = blob(name);
        if (bytes.length > blob.bytesMax) {
            throw new IllegalArgumentException("'" + name + "' has " + bytes.length
                    + " bytes, and was shared with room for " + blob.bytesMax + ": share it with more room");
        }
        blob.bytes.set(bytes);
    }

    byte[] getBlob(String name) {
        return blob(name).bytes.get();
    }

    private Blob blob(String name) {
        return Optional.ofNullable(blobs.get(name))
                .orElseThrow(() -> new IllegalArgumentException("no blob is shared as '" + name + "'"));
    }
}
