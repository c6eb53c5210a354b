package io.hearth.collective.engine;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.Operation;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.engine.queue.CallQueue;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A small sum that was begun. It runs on the thread that begins it, until it would have to wait for another rank, and goes on on the queue's
 * thread: to hand a sum of some KiB over to another thread, and its end back, takes longer than the sum.
 */
final class PromptSum implements CallQueue.Body {
    private final CallAdmission admission;
    private final CallRequest request;
    private final CollectiveOptions how;
    private final Clock clock;
    private final CallQueue.Body fromStart;
    private @Nullable Call open; // written and read in turn by the beginning thread and the queue's
    private long started; // likewise

    /** {@code fromStart} runs the sum if it cannot begin at once. */
    PromptSum(
            CallAdmission admission,
            CallRequest request,
            CollectiveOptions how,
            Clock clock,
            CallQueue.Body fromStart) {
        this.admission = admission;
        this.request = request;
        this.how = how;
        this.clock = clock;
        this.fromStart = fromStart;
    }

    @Override
    public Optional<CollectiveResult> runNow() throws CollectiveException {
        if (!admission.takeTurn()) {
            return Optional.empty();
        }
        if (admission.points().isDue()) {
            admission.endTurn();
            return Optional.empty();
        }
        started = clock.nanoTime();
        return goOn(false);
    }

    @Override
    public boolean hasBegun() {
        return open != null;
    }

    @Override
    public CollectiveResult run() throws CollectiveException {
        return open == null ? fromStart.run() : goOn(true).orElseThrow();
    }

    private Optional<CollectiveResult> goOn(boolean mayWait) throws CollectiveException {
        boolean isOpen = false;
        boolean done = false;
        try {
            Call call = open;
            if (call == null) {
                call = admission.open(request, admission.due(how));
                open = call;
            }
            Optional<CollectiveResult> result = admission.goOn(call, mayWait);
            done = result.isPresent();
            isOpen = !done;
            return result;
        } finally {
            if (!isOpen) {
                admission.endTurn();
                admission.ended(Operation.ALL_REDUCE, done, started);
            }
        }
    }
}
