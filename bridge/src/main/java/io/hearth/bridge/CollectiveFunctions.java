package io.hearth.bridge;

import io.hearth.collective.Collective;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.Tensor;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The functions that begin collectives and transfers. {@code hearth.h} describes them. */
final class CollectiveFunctions {
    private static final int CODEC_MAX = 256;
    private static final int NAME_MAX = 256;

    private CollectiveFunctions() {}

    static long allReduce(
            long group,
            MemorySegment input,
            MemorySegment output,
            long bytes,
            long type,
            long op,
            MemorySegment codec,
            MemorySegment name) {
        return Answers.of(() -> {
            Tensor from = tensor(input, bytes, type);
            Tensor to = tensor(output, bytes, type);
            ReduceOp how = ReduceOp.numbered(NativeText.number(op, "op"));
            CollectiveOptions options = options(codec, name);
            return input.address() == output.address()
                    ? BridgeState.begin(() -> BridgeState.GROUPS.get(group).allReduce(options, to, how))
                    : begin(group, options, ranks -> ranks.allReduce(from, to, how));
        });
    }

    static long broadcast(long group, MemorySegment values, long bytes, long type, long root) {
        return Answers.of(() -> {
            Tensor all = tensor(values, bytes, type);
            int from = NativeText.number(root, "the rank");
            return begin(group, ranks -> ranks.broadcast(all, from));
        });
    }

    static long allGather(
            long group, MemorySegment block, long blockBytes, MemorySegment gathered, long bytes, long type) {
        return Answers.of(() -> {
            Tensor own = tensor(block, blockBytes, type);
            Tensor all = tensor(gathered, bytes, type);
            return begin(group, ranks -> ranks.allGather(own, all));
        });
    }

    static long allGatherUnequal(
            long group,
            MemorySegment block,
            long blockBytes,
            MemorySegment gathered,
            long bytes,
            MemorySegment counts,
            long type) {
        return Answers.of(() -> {
            Tensor own = tensor(block, blockBytes, type);
            Tensor all = tensor(gathered, bytes, type);
            BridgeGroup ranked = BridgeState.GROUPS.get(group);
            MemorySegment each = NativeText.buffer(counts, (long) ranked.ranks().worldSize() * Long.BYTES);
            return begin(group, ranks -> counted(ranks.allGatherUnequal(own, all), each));
        });
    }

    private static CollectiveResult counted(List<Long> counts, MemorySegment each) {
        for (int rank = 0; rank < counts.size(); rank++) {
            each.set(ValueLayout.JAVA_LONG_UNALIGNED, (long) rank * Long.BYTES, counts.get(rank));
        }
        return new CollectiveResult(counts.size(), 0, 0, 0);
    }

    static long reduceScatter(long group, MemorySegment values, long bytes, long type, long op) {
        return Answers.of(() -> {
            Tensor all = tensor(values, bytes, type);
            ReduceOp how = ReduceOp.numbered(NativeText.number(op, "op"));
            return begin(group, ranks -> ranks.reduceScatter(all, how));
        });
    }

    static long reduce(long group, MemorySegment values, long bytes, long type, long op, long root) {
        return Answers.of(() -> {
            Tensor all = tensor(values, bytes, type);
            ReduceOp how = ReduceOp.numbered(NativeText.number(op, "op"));
            int at = NativeText.number(root, "the rank");
            return begin(group, ranks -> ranks.reduce(all, how, at));
        });
    }

    static long gather(
            long group,
            MemorySegment block,
            long blockBytes,
            MemorySegment gathered,
            long bytes,
            long type,
            long root) {
        return Answers.of(() -> {
            Tensor own = tensor(block, blockBytes, type);
            int at = NativeText.number(root, "the rank");
            Tensor all = tensor(gathered, isRank(group, at) ? bytes : 0, type);
            return begin(group, ranks -> ranks.gather(own, all, at));
        });
    }

    static long scatter(
            long group, MemorySegment blocks, long bytes, MemorySegment block, long blockBytes, long type, long root) {
        return Answers.of(() -> {
            Tensor own = tensor(block, blockBytes, type);
            int from = NativeText.number(root, "the rank");
            Tensor all = tensor(blocks, isRank(group, from) ? bytes : 0, type);
            return begin(group, ranks -> ranks.scatter(all, own, from));
        });
    }

    static long allToAll(long group, MemorySegment blocks, MemorySegment received, long bytes, long count, long type) {
        return Answers.of(() -> {
            Tensor from = tensor(blocks, bytes, type);
            Tensor to = tensor(received, bytes, type);
            return begin(group, ranks -> ranks.allToAll(from, to, count));
        });
    }

    static long barrier(long group) {
        return Answers.of(() -> begin(group, DistributedContext::barrier));
    }

    static long send(long group, MemorySegment values, long bytes, long type, long to) {
        return Answers.of(() -> BridgeState.begin(() ->
                BridgeState.GROUPS.get(group).send(tensor(values, bytes, type), NativeText.number(to, "the rank"))));
    }

    static long receive(long group, MemorySegment values, long bytes, long type, long from) {
        return Answers.of(() -> BridgeState.begin(() -> BridgeState.GROUPS
                .get(group)
                .receive(tensor(values, bytes, type), NativeText.number(from, "the rank"))));
    }

    private static boolean isRank(long group, int rank) {
        return BridgeState.GROUPS.get(group).ranks().rank() == rank;
    }

    private static long begin(long group, Collective<DistributedContext> call) throws Exception {
        return begin(group, CollectiveOptions.DEFAULTS, call);
    }

    private static long begin(long group, CollectiveOptions options, Collective<DistributedContext> call)
            throws Exception {
        return BridgeState.begin(() -> BridgeState.GROUPS.get(group).begin(options, call));
    }

    private static Tensor tensor(MemorySegment pointer, long bytes, long type) {
        return Tensor.of(NativeText.buffer(pointer, bytes), DataType.numbered(NativeText.number(type, "the type")));
    }

    private static CollectiveOptions options(MemorySegment codec, MemorySegment name) {
        CollectiveOptions options = CollectiveOptions.DEFAULTS;
        if (codec.address() != 0) {
            options = options.as(CompressionStrategy.parse(NativeText.read(codec, "the codec", CODEC_MAX)));
        }
        return name.address() == 0 ? options : options.forTensor(NativeText.read(name, "the name", NAME_MAX));
    }
}
