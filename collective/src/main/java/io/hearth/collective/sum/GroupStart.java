package io.hearth.collective.sum;

import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.group.CallRejection;
import java.io.IOException;
import java.util.Optional;

/**
 * The start of a group: its first call, a barrier that runs only with enough ranks. Each rank runs it only in a group epoch with at
 * least as many ranks as that rank requires. No rank can complete it without all others, so the largest requirement counts.
 *
 * @param least ranks that this rank requires
 */
public record GroupStart(PlainSum barrier, int least) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        return barrier.attempt(context);
    }

    @Override
    public int leastRanks() {
        return least;
    }
}
