package io.hearth.parameterserver.optimize;

import java.util.List;

/**
 * A parameter under optimization: all that its next update depends on, so that a restored one goes on bit for bit.
 *
 * @param updates made so far
 * @param values of the parameter
 * @param slots that the method keeps, of the parameter's type and size: momentum of SGD; sum of squares of Adagrad; mean squares of
 *     gradients and of changes of Adadelta; first and second moment of Adam
 */
public record OptimizerState(OptimizerSettings settings, long updates, Values values, List<Values> slots) {
    public OptimizerState {
        slots = List.copyOf(slots);
        settings.checkFor(values.type());
        if (updates < 0) {
            throw new IllegalArgumentException("a number of updates is not negative, got " + updates);
        }
        if (slots.size() != settings.method().slots()) {
            throw new IllegalArgumentException(
                    "the optimizer keeps " + settings.method().slots() + " slots, got " + slots.size());
        }
        for (Values slot : slots) {
            if (slot.type() != values.type() || slot.size() != values.size()) {
                throw new IllegalArgumentException("a slot has the type and size of its parameter");
            }
        }
    }

    /** A parameter before its first update. */
    public static OptimizerState start(OptimizerSettings settings, Values values) {
        int slots = settings.method().slots();
        return new OptimizerState(
                settings,
                0,
                values,
                java.util.stream.Stream.generate(() -> Values.zeros(values.type(), values.size()))
                        .limit(slots)
                        .toList());
    }

    /** Bytes of values and slots. */
    public static long bytes(OptimizerSettings settings, long contentBytes) {
        return contentBytes * (1 + settings.method().slots());
    }
}
