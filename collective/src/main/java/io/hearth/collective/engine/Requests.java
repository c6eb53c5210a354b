package io.hearth.collective.engine;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.ReduceStrategy;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.sum.Broadcast;
import io.hearth.collective.sum.ExchangeBlocks;
import io.hearth.collective.sum.GatherBlocks;
import io.hearth.collective.sum.GroupStart;
import io.hearth.collective.sum.PlainSum;
import io.hearth.collective.sum.ReduceScatterShares;
import io.hearth.collective.sum.ReduceToRoot;
import io.hearth.collective.sum.ScatterBlocks;
import io.hearth.collective.sum.SumPlans;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Optional;

/**
 * Plans all collectives except all-reduce, which {@link SumPlans} plans. It checks the arguments, makes the signature that must be
 * equal on all ranks, and selects the caller's memory that this rank uses.
 */
final class Requests {
    private static final long BLOCK_BYTES_MAX = Long.MAX_VALUE / 4 / View.MEMBERS_MAX;

    private final Ranks ranks;
    private final CollectiveConfig config;
    private final Buffers buffers;
    private final CallRequest barrier;

    Requests(Ranks ranks, CollectiveConfig config, Buffers buffers) {
        this.ranks = ranks;
        this.config = config;
        this.buffers = buffers;
        this.barrier = CallRequest.inPlace(
                new CallPlan(Signature.barrier(), new PlainSum(AllReduceStrategy.AUTO, Ownership.EQUAL)),
                CallRequest.NOTHING);
    }

    CallRequest reduceScatter(MemorySegment values, DataType type, ReduceOp op) {
        long count = Tensor.elements(values, type);
        var signature = Signature.combining(Signature.Kind.REDUCE_SCATTER, op, type, count, Signature.AUTO);
        return CallRequest.inPlace(new CallPlan(signature, new ReduceScatterShares()), values);
    }

    CallRequest allGather(MemorySegment block, MemorySegment gathered, DataType type) {
        long count = blockElements(block, type);
        Tensor.elements(gathered, type);
        var signature = Signature.combining(Signature.Kind.ALL_GATHER, ReduceOp.SUM, type, count, Signature.AUTO);
        return new CallRequest(new CallPlan(signature, new GatherBlocks(Optional.empty())), block, gathered);
    }

    CallRequest reduce(MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions how) {
        NodeId node = ranks.root(root);
        ReduceStrategy way = how.reduce().orElse(config.reduce());
        long count = Tensor.elements(values, type);
        var signature = Signature.rooted(
                Signature.Kind.REDUCE, op, type, count, node, way.name().toLowerCase(Locale.ROOT));
        return CallRequest.inPlace(new CallPlan(signature, new ReduceToRoot(node, way)), values);
    }

    CallRequest gather(MemorySegment block, MemorySegment gathered, DataType type, int root) {
        NodeId node = ranks.root(root);
        long count = blockElements(block, type);
        var signature = Signature.rooted(Signature.Kind.GATHER, ReduceOp.SUM, type, count, node, Signature.AUTO);
        MemorySegment target = ranks.isSelf(node) ? gathered : CallRequest.NOTHING;
        return new CallRequest(new CallPlan(signature, new GatherBlocks(Optional.of(node))), block, target);
    }

    CallRequest scatter(MemorySegment blocks, MemorySegment block, DataType type, int root) {
        NodeId node = ranks.root(root);
        long count = blockElements(block, type);
        var signature = Signature.rooted(Signature.Kind.SCATTER, ReduceOp.SUM, type, count, node, Signature.AUTO);
        MemorySegment input = ranks.isSelf(node) ? blocks : CallRequest.NOTHING;
        return new CallRequest(new CallPlan(signature, new ScatterBlocks(node)), input, block);
    }

    CallRequest allToAll(MemorySegment blocks, MemorySegment received, long count, DataType type) {
        Tensor.elements(blocks, type);
        Tensor.elements(received, type);
        if (count < 0 || count > BLOCK_BYTES_MAX / type.bytes()) {
            throw new IllegalArgumentException("a block must have 0 to " + BLOCK_BYTES_MAX / type.bytes() + " "
                    + type.name().toLowerCase(Locale.ROOT) + ", got " + count);
        }
        var signature = Signature.combining(Signature.Kind.ALL_TO_ALL, ReduceOp.SUM, type, count, Signature.AUTO);
        return new CallRequest(new CallPlan(signature, new ExchangeBlocks(buffers)), blocks, received);
    }

    CallRequest broadcast(MemorySegment values, DataType type, int root, CollectiveOptions how) {
        NodeId node = ranks.root(root);
        BroadcastStrategy way = how.broadcast().orElse(config.broadcast());
        long count = Tensor.elements(values, type);
        var signature = Signature.rooted(
                Signature.Kind.BROADCAST,
                ReduceOp.SUM,
                type,
                count,
                node,
                way.name().toLowerCase(Locale.ROOT));
        Tensor.requireWritable(values); // also at the root, which may be another rank after a loss
        boolean isRoot = ranks.isSelf(node);
        var plan = new CallPlan(signature, new Broadcast(node, way));
        return new CallRequest(plan, isRoot ? values : CallRequest.NOTHING, isRoot ? CallRequest.NOTHING : values);
    }

    /** A barrier is a sum of no elements. */
    CallRequest barrier() {
        return barrier;
    }

    /** As {@link #barrier()}, for the group's start. */
    CallRequest start(int least) {
        return CallRequest.inPlace(
                new CallPlan(
                        Signature.start(),
                        new GroupStart(new PlainSum(AllReduceStrategy.AUTO, Ownership.EQUAL), least)),
                CallRequest.NOTHING);
    }

    private static long blockElements(MemorySegment block, DataType type) {
        if (block.byteSize() > BLOCK_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a block of " + block.byteSize() + " bytes is too large: it must have at most " + BLOCK_BYTES_MAX
                            + " bytes, so that the blocks of " + View.MEMBERS_MAX + " ranks can be addressed");
        }
        return Tensor.elements(block, type);
    }
}
