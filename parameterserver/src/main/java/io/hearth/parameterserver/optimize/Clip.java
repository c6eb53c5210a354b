package io.hearth.parameterserver.optimize;

/** Bounds a gradient before anything else is done with it. */
public sealed interface Clip {
    /** Does nothing. */
    record None() implements Clip {}

    /** Scales a gradient whose Euclidean norm is larger down to this norm. */
    record Norm(double max) implements Clip {
        public Norm {
            Ranges.check("the norm to clip to", max, Double.MIN_VALUE, Double.MAX_VALUE);
        }
    }

    /** Takes each element into {@code [-max, max]}. */
    record Value(double max) implements Clip {
        public Value {
            Ranges.check("the value to clip to", max, Double.MIN_VALUE, Double.MAX_VALUE);
        }
    }

    /** Clips in place. */
    default void clip(double[] gradient) {
        switch (this) {
            case None() -> {}
            case Norm(double max) -> {
                double sum = 0;
                for (double each : gradient) {
                    sum += each * each;
                }
                double norm = Math.sqrt(sum);
                if (norm > max) {
                    double scale = max / norm;
                    for (int i = 0; i < gradient.length; i++) {
                        gradient[i] *= scale;
                    }
                }
            }
            case Value(double max) -> {
                for (int i = 0; i < gradient.length; i++) {
                    gradient[i] = Math.clamp(gradient[i], -max, max);
                }
            }
        }
    }
}
