package io.hearth.parameterserver.optimize;

import java.util.ArrayList;
import java.util.List;

/**
 * Makes one update of a parameter.
 *
 * <p>Each element is computed in float64 and rounded once to the parameter's type, as are the slots; so results are the same on all machines.
 * An integer loses {@code rate * gradient}, rounded to the nearest whole number, halves to the even one; it stops at the bounds of its type.
 */
public final class Optimizer {
    private Optimizer() {}

    /**
     * The parameter after an update; the one before it does not change.
     *
     * @param gradient one number for each element; changed by this
     */
    public static OptimizerState update(OptimizerState before, double[] gradient) {
        Values old = before.values();
        if (gradient.length != old.size()) {
            throw new IllegalArgumentException(
                    "a gradient has as many elements as its parameter, " + old.size() + ", got " + gradient.length);
        }
        OptimizerSettings settings = before.settings();
        long update = before.updates() + 1;
        double rate = settings.rate().at(update);
        settings.clip().clip(gradient);
        Values next = Values.zeros(old.type(), old.size());
        if (!old.type().isFloat()) {
            for (int i = 0; i < gradient.length; i++) {
                next.setLess(i, old, Math.rint(rate * gradient[i]));
            }
            return new OptimizerState(settings, update, next, List.of());
        }
        double decay = settings.method().decay();
        if (decay != 0) {
            for (int i = 0; i < gradient.length; i++) {
                gradient[i] += decay * old.get(i);
            }
        }
        List<Values> slots = new ArrayList<>();
        for (Values slot : before.slots()) {
            slots.add(Values.over(slot.type(), slot.bytes().clone()));
        }
        switch (settings.method()) {
            case Method.Sgd sgd -> sgd(sgd, update, rate, old, next, slots, gradient);
            case Method.Adagrad adagrad -> adagrad(adagrad, rate, old, next, slots.getFirst(), gradient);
            case Method.Adadelta adadelta -> adadelta(adadelta, rate, old, next, slots, gradient);
            case Method.Adam adam -> adam(adam, update, rate, old, next, slots, gradient);
        }
        return new OptimizerState(settings, update, next, slots);
    }

    private static void sgd(
            Method.Sgd sgd, long update, double rate, Values old, Values next, List<Values> slots, double[] gradient) {
        for (int i = 0; i < gradient.length; i++) {
            double step = gradient[i];
            if (!slots.isEmpty()) {
                Values velocity = slots.getFirst();
                double moved = update == 1 ? step : sgd.momentum() * velocity.get(i) + step;
                velocity.set(i, moved);
                step = sgd.isNesterov() ? step + sgd.momentum() * moved : moved;
            }
            next.set(i, old.get(i) - rate * step);
        }
    }

    private static void adagrad(
            Method.Adagrad adagrad, double rate, Values old, Values next, Values squares, double[] gradient) {
        for (int i = 0; i < gradient.length; i++) {
            double sum = squares.get(i) + gradient[i] * gradient[i];
            squares.set(i, sum);
            double root = Math.sqrt(sum) + adagrad.epsilon();
            next.set(i, root == 0 ? old.get(i) : old.get(i) - rate * gradient[i] / root);
        }
    }

    private static void adadelta(
            Method.Adadelta adadelta, double rate, Values old, Values next, List<Values> slots, double[] gradient) {
        double rho = adadelta.rho();
        for (int i = 0; i < gradient.length; i++) {
            double square = rho * slots.get(0).get(i) + (1 - rho) * gradient[i] * gradient[i];
            double changes = slots.get(1).get(i);
            double change =
                    Math.sqrt(changes + adadelta.epsilon()) / Math.sqrt(square + adadelta.epsilon()) * gradient[i];
            slots.get(0).set(i, square);
            slots.get(1).set(i, rho * changes + (1 - rho) * change * change);
            next.set(i, old.get(i) - rate * change);
        }
    }

    private static void adam(
            Method.Adam adam,
            long update,
            double rate,
            Values old,
            Values next,
            List<Values> slots,
            double[] gradient) {
        double correction1 = 1 - StrictMath.pow(adam.beta1(), (double) update);
        double correction2 = Math.sqrt(1 - StrictMath.pow(adam.beta2(), (double) update));
        for (int i = 0; i < gradient.length; i++) {
            double first = adam.beta1() * slots.get(0).get(i) + (1 - adam.beta1()) * gradient[i];
            double second = adam.beta2() * slots.get(1).get(i) + (1 - adam.beta2()) * gradient[i] * gradient[i];
            slots.get(0).set(i, first);
            slots.get(1).set(i, second);
            double root = Math.sqrt(second) / correction2 + adam.epsilon();
            next.set(i, root == 0 ? old.get(i) : old.get(i) - rate / correction1 * first / root);
        }
    }
}
