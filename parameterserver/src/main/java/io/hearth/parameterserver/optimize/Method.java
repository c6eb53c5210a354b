package io.hearth.parameterserver.optimize;

/** How a gradient changes a parameter; the definitions are those of {@code torch.optim}. {@code decay} is that of L2, added to the gradient. */
public sealed interface Method {
    /** Weight decay, 0 for none. */
    double decay();

    /** Slots of numbers, of the parameter's size, that the method keeps. */
    int slots();

    /** Stochastic gradient descent. Integers take it without momentum and decay. */
    record Sgd(double momentum, boolean isNesterov, double decay) implements Method {
        public Sgd {
            Ranges.check("momentum", momentum, 0, 1);
            Ranges.check("decay", decay, 0, Double.MAX_VALUE);
            if (isNesterov && momentum == 0) {
                throw new IllegalArgumentException("Nesterov needs a momentum above 0: set one, or leave Nesterov out");
            }
        }

        @Override
        public int slots() {
            return momentum == 0 ? 0 : 1;
        }
    }

    /** Adagrad. */
    record Adagrad(double epsilon, double decay) implements Method {
        public Adagrad {
            Ranges.check("epsilon", epsilon, 0, 1);
            Ranges.check("decay", decay, 0, Double.MAX_VALUE);
        }

        @Override
        public int slots() {
            return 1;
        }
    }

    /** Adadelta. */
    record Adadelta(double rho, double epsilon, double decay) implements Method {
        public Adadelta {
            Ranges.check("rho", rho, 0, 1);
            Ranges.check("epsilon", epsilon, Double.MIN_VALUE, 1);
            Ranges.check("decay", decay, 0, Double.MAX_VALUE);
        }

        @Override
        public int slots() {
            return 2;
        }
    }

    /** Adam. */
    record Adam(double beta1, double beta2, double epsilon, double decay) implements Method {
        public Adam {
            Ranges.check("beta1", beta1, 0, Math.nextDown(1.0));
            Ranges.check("beta2", beta2, 0, Math.nextDown(1.0));
            Ranges.check("epsilon", epsilon, 0, 1);
            Ranges.check("decay", decay, 0, Double.MAX_VALUE);
        }

        @Override
        public int slots() {
            return 2;
        }
    }
}
