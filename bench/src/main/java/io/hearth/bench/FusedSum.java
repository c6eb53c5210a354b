package io.hearth.bench;

import io.hearth.compression.NonFiniteException;
import io.hearth.compression.NoneCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An exact sum of several small tensors of each node as if they were one. */
final class FusedSum implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final List<MemorySegment> fused = new ArrayList<>();
    private final ShareSum exact;

    /** Of {@code count} float32 values in all tensors of a node together. */
    FusedSum(int nodes, long count, Traffic traffic) {
        var codec = new NoneCodec();
        for (int node = 0; node < nodes; node++) {
            fused.add(arena.allocate(count * Float.BYTES, Float.BYTES));
        }
        exact = new ShareSum(
                codec, false, Collections.nCopies(nodes, new NodeEncoder.Forgetting(codec)), count, traffic);
    }

    /**
     * Replaces each tensor by its sum over all nodes.
     *
     * @param tensors of each node, by rank, in the same order and of the same sizes on all; written
     */
    void sum(List<List<MemorySegment>> tensors) throws NonFiniteException {
        for (int node = 0; node < tensors.size(); node++) {
            long at = 0;
            for (MemorySegment tensor : tensors.get(node)) {
                MemorySegment.copy(tensor, 0, fused.get(node), at, tensor.byteSize());
                at += tensor.byteSize();
            }
        }
        exact.sum(fused);
        for (int node = 0; node < tensors.size(); node++) {
            long at = 0;
            for (MemorySegment tensor : tensors.get(node)) {
                MemorySegment.copy(fused.get(node), at, tensor, 0, tensor.byteSize());
                at += tensor.byteSize();
            }
        }
    }

    @Override
    public void close() {
        exact.close();
        arena.close();
    }
}
