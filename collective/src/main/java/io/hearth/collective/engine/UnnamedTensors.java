package io.hearth.collective.engine;

import io.hearth.collective.CollectiveResult;
import io.hearth.core.CollectiveException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Tensors that were summed in the step that runs and were given no name, by the name that they got by their size. Two of one name would
 * share what a compression remembers, and train something else without a word.
 *
 * <p>Without steps nobody can tell the next tensor from the next step; then nothing is refused. For the thread that calls.
 */
final class UnnamedTensors {
    private final Set<String> summed = new HashSet<>();
    private boolean goesBySteps;

    /** A step began: what was summed before may be summed again. */
    void stepBegan() {
        goesBySteps = true;
        summed.clear();
    }

    /**
     * Sums a tensor, which counts if there is a result.
     *
     * @param name that it got by its size; empty where that does not matter
     * @throws IllegalArgumentException one of that name was summed in this step; nothing was sent, on all ranks alike, as all make the same
     *     calls
     */
    CollectiveResult sum(Optional<String> name, CallQueue.Body body) throws CollectiveException {
        if (name.isEmpty() || !goesBySteps) {
            return body.run();
        }
        if (summed.contains(name.get())) {
            throw new IllegalArgumentException("a second tensor " + name.get()
                    + " in one step, and neither was given a name: both would share what the compression remembers."
                    + " Name each with CollectiveOptions.forTensor, and what is the same tensor alike; or call beginStep()"
                    + " before each step");
        }
        CollectiveResult result = body.run();
        summed.add(name.get());
        return result;
    }
}
