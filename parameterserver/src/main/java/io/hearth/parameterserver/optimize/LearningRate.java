package io.hearth.parameterserver.optimize;

/** The learning rate of the n-th update; n counts from 1. */
public sealed interface LearningRate {
    /** The rate of an update. */
    double at(long update);

    /** The same for all updates. */
    record Constant(double rate) implements LearningRate {
        public Constant {
            Ranges.check("a learning rate", rate, 0, Double.MAX_VALUE);
        }

        @Override
        public double at(long update) {
            return rate;
        }
    }

    /** {@code max(rate - a * n, b)}. */
    record Linear(double rate, double a, double b) implements LearningRate {
        public Linear {
            Ranges.check("a learning rate", rate, 0, Double.MAX_VALUE);
            Ranges.check("a of a linear rate", a, 0, Double.MAX_VALUE);
            Ranges.check("b of a linear rate", b, 0, Double.MAX_VALUE);
        }

        @Override
        public double at(long update) {
            return Math.max(rate - a * update, b);
        }
    }
}
