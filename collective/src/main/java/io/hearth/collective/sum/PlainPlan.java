package io.hearth.collective.sum;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.call.CallPlan;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Caches the plan of the last plain sum for the next sum of the same kind. Programs make thousands of small sums that are all
 * alike, and planning builds strings and options. Plans in place or with a codec hold state of one call, so they are not cached.
 */
public final class PlainPlan {
    private volatile @Nullable Kept last; // written and read by calling threads

    private record Kept(
            long count,
            DataType type,
            ReduceOp op,
            Optional<AllReduceStrategy> way,
            Optional<CompressionStrategy> compression,
            Ownership ownership,
            Optional<CallPlan> plan) {}

    /** The plan that {@link SumPlans#plan} would make for a tensor that is not a bucket; empty if it is not cached. */
    public Optional<CallPlan> of(long count, DataType type, ReduceOp op, CollectiveOptions how) {
        Kept known = last;
        if (known == null) {
            return Optional.empty();
        }
        boolean isSame = known.count == count
                && known.type == type
                && known.op == op
                && how.shapes().isEmpty()
                && known.way.equals(how.allReduce())
                && known.compression.equals(how.compression())
                && known.ownership.equals(how.ownership());
        return isSame ? known.plan : Optional.empty();
    }

    /** Caches a plan, if another call may use it. */
    public void keep(long count, DataType type, ReduceOp op, CollectiveOptions how, CallPlan plan) {
        if (plan.operation() instanceof PlainSum && how.shapes().isEmpty()) {
            last = new Kept(count, type, op, how.allReduce(), how.compression(), how.ownership(), Optional.of(plan));
        }
    }
}
