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
 * The plan of the last sum that has one without state, for the next sum of the same kind: small sums come by the thousand, all alike,
 * and to plan takes texts and options. A plan that is played once, as one in place or with a codec, is not kept.
 */
public final class PlainPlan {
    private volatile @Nullable Kept last; // written and read by callers

    private record Kept(
            long count,
            DataType type,
            ReduceOp op,
            Optional<AllReduceStrategy> way,
            Optional<CompressionStrategy> compression,
            Ownership ownership,
            Optional<CallPlan> plan) {}

    /** The same as {@link SumPlans#plan} of what is no bucket would make; empty if it is not known. */
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

    /** Keeps what was made, if it may be played again. */
    public void keep(long count, DataType type, ReduceOp op, CollectiveOptions how, CallPlan plan) {
        if (plan.operation() instanceof PlainSum && how.shapes().isEmpty()) {
            last = new Kept(count, type, op, how.allReduce(), how.compression(), how.ownership(), Optional.of(plan));
        }
    }
}
