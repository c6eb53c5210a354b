package io.hearth.collective.engine.queue;

import io.hearth.collective.CollectiveResult;
import io.hearth.core.CollectiveException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Unnamed tensors that were summed in the current step, by the name that comes from their size. Two tensors of one name would share
 * a compression's memory, and the training would silently go wrong.
 *
 * <p>Without steps a second tensor cannot be told from the same tensor in the next step, so nothing is rejected. For the calling
 * thread.
 */
public final class UnnamedTensors {
    private final Set<String> summed = new HashSet<>();
    private boolean goesBySteps;

    /** Records that a step began: each tensor may be summed again. */
    public void stepBegan() {
        goesBySteps = true;
        summed.clear();
    }

    /**
     * Sums a tensor, and records it if there is a result.
     *
     * @param name name that comes from the size of an unnamed tensor; empty where that does not matter
     * @throws IllegalArgumentException if a tensor of that name was summed in this step; nothing was sent. All ranks make the same
     *     calls, so all throw it
     */
    public CollectiveResult sum(Optional<String> name, CallQueue.Body body) throws CollectiveException {
        if (name.isEmpty() || !goesBySteps) {
            return body.run();
        }
        if (summed.contains(name.get())) {
            throw new IllegalArgumentException("a second tensor " + name.get()
                    + " in one step, both unnamed: they would share the compression's memory. Name each tensor with"
                    + " CollectiveOptions.forTensor, the same name in each step; or call beginStep() before each"
                    + " step");
        }
        CollectiveResult result = body.run();
        summed.add(name.get());
        return result;
    }
}
