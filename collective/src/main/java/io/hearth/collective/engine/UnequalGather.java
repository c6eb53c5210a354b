package io.hearth.collective.engine;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.Tensor;
import io.hearth.collective.exchange.Buffers;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * All-gather of blocks of different lengths, in two calls: the ranks agree on the longest block, then they gather rows of its size. A row
 * begins with the type and the number of elements of its block. So a rank that is lost between the two calls does no harm, and recovery is
 * that of the two calls. The price is the padding of shorter blocks.
 */
final class UnequalGather {
    private static final ValueLayout.OfLong HEAD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int TYPE_SHIFT = 56;
    private static final long COUNT_MASK = (1L << TYPE_SHIFT) - 1;

    private final DistributedBackend ranks;
    private final Buffers buffers;

    /** Gathers by calls of {@code ranks}, with scratch memory of {@code buffers}. */
    UnequalGather(DistributedBackend ranks, Buffers buffers) {
        this.ranks = ranks;
        this.buffers = buffers;
    }

    /** As {@link DistributedBackend#allGatherUnequal}. */
    List<Long> gather(MemorySegment block, MemorySegment gathered, DataType type, CollectiveOptions how)
            throws CollectiveException {
        long own = Tensor.elements(block, type);
        Tensor.elements(gathered, type);
        Tensor.requireUsable(block);
        Tensor.requireWritable(gathered);
        long row = HEAD.byteSize() + longest(block.byteSize(), how);
        Buffers.Buffer mine = buffers.take(row);
        Buffers.Buffer rows = buffers.take(row * ranks.worldSize());
        try {
            mine.bytes().set(HEAD, 0, (long) type.number() << TYPE_SHIFT | own);
            MemorySegment.copy(block, 0, mine.bytes(), HEAD.byteSize(), block.byteSize());
            int world = ranks.allGather(mine.bytes(), rows.bytes(), DataType.UINT8, how)
                    .contributors();
            return unpack(rows.bytes(), row, world, gathered, type);
        } finally {
            buffers.give(mine);
            buffers.give(rows);
        }
    }

    /** Bytes of the longest block of all ranks. */
    private long longest(long bytes, CollectiveOptions how) throws CollectiveException {
        Buffers.Buffer most = buffers.take(Long.BYTES);
        try {
            most.bytes().set(HEAD, 0, bytes);
            ranks.allReduce(most.bytes(), DataType.INT64, ReduceOp.MAX, how.as(CompressionStrategy.NONE));
            return most.bytes().get(HEAD, 0);
        } finally {
            buffers.give(most);
        }
    }

    private static List<Long> unpack(MemorySegment rows, long row, int world, MemorySegment gathered, DataType type)
            throws CollectiveMismatchException {
        var counts = new ArrayList<Long>();
        long bytes = 0;
        for (int rank = 0; rank < world; rank++) {
            long head = rows.get(HEAD, rank * row);
            if (head >>> TYPE_SHIFT != type.number()) { // all ranks have the same rows, so some rank throws
                throw new CollectiveMismatchException("rank " + rank + " gathers another type than this rank, which"
                        + " gathers " + type + ": call it with the same type on all ranks");
            }
            counts.add(head & COUNT_MASK);
            bytes += (head & COUNT_MASK) * type.bytes();
        }
        if (bytes > gathered.byteSize()) {
            throw new IllegalArgumentException("gathered must hold the blocks of all ranks, " + bytes + " bytes, got "
                    + gathered.byteSize() + "; nothing was written");
        }
        long at = 0;
        for (int rank = 0; rank < world; rank++) {
            long length = counts.get(rank) * type.bytes();
            MemorySegment.copy(rows, rank * row + HEAD.byteSize(), gathered, at, length);
            at += length;
        }
        return counts;
    }
}
