package io.hearth.core;

import java.util.List;

/**
 * The outcome of one transition: the next state, and the effects that the shell must carry out, in order.
 *
 * <p>The order is part of the contract: an effect that makes something durable comes before the message that relies on it.
 */
public record Step<S, F>(S state, List<F> effects) {
    public Step {
        effects = List.copyOf(effects);
    }

    /** A transition without effects. */
    public static <S, F> Step<S, F> quiet(S state) {
        return new Step<>(state, List.of());
    }
}
