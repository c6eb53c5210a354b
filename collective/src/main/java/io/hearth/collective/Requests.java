package io.hearth.collective;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Optional;

/**
 * Makes plans of all collectives but all-reduce, for which see {@link SumPlans}: checks the arguments, says what all ranks must ask
 * for alike, and which of the caller's memory counts on this rank.
 */
final class Requests {
    private static final long BLOCK_BYTES_MAX = Long.MAX_VALUE / 4 / View.MEMBERS_MAX;

    private final Ranks ranks;
    private final CollectiveConfig config;
    private final DirectPlay direct;
    private final Asked barrier;

    Requests(Ranks ranks, CollectiveConfig config, DirectPlay direct) {
        this.ranks = ranks;
        this.config = config;
        this.direct = direct;
        this.barrier = Asked.inPlace(
                new Plan(Signature.barrier(), new PlainSum(AllReduceStrategy.AUTO, Ownership.EQUAL, direct)),
                Asked.NOTHING);
    }

    Asked reduceScatter(MemorySegment values, DataType type, ReduceOp op) {
        long count = Tensors.elements(values, type);
        var signature = Signature.combining(Signature.Kind.REDUCE_SCATTER, op, type, count, Signature.AUTO);
        return Asked.inPlace(new Plan(signature, new ReduceScatterShares(direct)), values);
    }

    Asked allGather(MemorySegment block, MemorySegment gathered, DataType type) {
        long count = blockElements(block, type);
        Tensors.elements(gathered, type);
        var signature = Signature.combining(Signature.Kind.ALL_GATHER, ReduceOp.SUM, type, count, Signature.AUTO);
        return new Asked(new Plan(signature, new GatherBlocks(Optional.empty())), block, gathered);
    }

    Asked reduce(MemorySegment values, DataType type, ReduceOp op, int root, CollectiveOptions how) {
        NodeId node = ranks.root(root);
        ReduceStrategy way = how.reduce().orElse(config.reduce());
        long count = Tensors.elements(values, type);
        var signature = Signature.rooted(
                Signature.Kind.REDUCE, op, type, count, node, way.name().toLowerCase(Locale.ROOT));
        return Asked.inPlace(new Plan(signature, new ReduceToRoot(node, way)), values);
    }

    Asked gather(MemorySegment block, MemorySegment gathered, DataType type, int root) {
        NodeId node = ranks.root(root);
        long count = blockElements(block, type);
        var signature = Signature.rooted(Signature.Kind.GATHER, ReduceOp.SUM, type, count, node, Signature.AUTO);
        MemorySegment target = ranks.isSelf(node) ? gathered : Asked.NOTHING;
        return new Asked(new Plan(signature, new GatherBlocks(Optional.of(node))), block, target);
    }

    Asked scatter(MemorySegment blocks, MemorySegment block, DataType type, int root) {
        NodeId node = ranks.root(root);
        long count = blockElements(block, type);
        var signature = Signature.rooted(Signature.Kind.SCATTER, ReduceOp.SUM, type, count, node, Signature.AUTO);
        MemorySegment input = ranks.isSelf(node) ? blocks : Asked.NOTHING;
        return new Asked(new Plan(signature, new ScatterBlocks(node)), input, block);
    }

    Asked broadcast(MemorySegment values, DataType type, int root, CollectiveOptions how) {
        NodeId node = ranks.root(root);
        BroadcastStrategy way = how.broadcast().orElse(config.broadcast());
        long count = Tensors.elements(values, type);
        var signature = Signature.rooted(
                Signature.Kind.BROADCAST,
                ReduceOp.SUM,
                type,
                count,
                node,
                way.name().toLowerCase(Locale.ROOT));
        MemorySegment input = ranks.isSelf(node) ? values : Asked.NOTHING;
        return new Asked(new Plan(signature, new Broadcast(node, way)), input, values);
    }

    /** Travels as a sum of nothing. */
    Asked barrier() {
        return barrier;
    }

    /** As {@link #barrier()}, for the group's start. */
    Asked start(int least) {
        return Asked.inPlace(
                new Plan(
                        Signature.start(),
                        new GroupStart(new PlainSum(AllReduceStrategy.AUTO, Ownership.EQUAL, direct), least)),
                Asked.NOTHING);
    }

    private static long blockElements(MemorySegment block, DataType type) {
        if (block.byteSize() > BLOCK_BYTES_MAX) {
            throw new IllegalArgumentException("a block of " + block.byteSize() + " bytes is too large: the blocks of "
                    + View.MEMBERS_MAX + " ranks must have an address, so it is at most " + BLOCK_BYTES_MAX);
        }
        return Tensors.elements(block, type);
    }
}
