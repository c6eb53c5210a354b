package io.hearth.collective;

/**
 * A step begins: all results of the steps before it are final, and all ranks hold the same shared state.
 *
 * @param step number of the step that begins, from 0, or from what {@code resumeAt} said: this many steps were completed on the way to this state
 * @param replaced whether this rank's shared buffers now hold the group's state instead of what they held
 */
public record StepStart(long step, boolean replaced) {
    public StepStart {
        if (step < 0) {
            throw new IllegalArgumentException("steps are numbered from 0, got " + step);
        }
    }
}
