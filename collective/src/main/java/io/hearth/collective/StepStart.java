package io.hearth.collective;

/**
 * A step begins: all results of the steps before it are final, and all ranks hold the same shared state.
 *
 * @param step number of the step that begins, from 0 or from the argument of {@code resumeAt}; equals the number of completed steps behind
 *     this state
 * @param replaced whether the group's state replaced the contents of this rank's shared buffers
 */
public record StepStart(long step, boolean replaced) {
    public StepStart {
        if (step < 0) {
            throw new IllegalArgumentException("step must be 0 or more, got " + step);
        }
    }
}
