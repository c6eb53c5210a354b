package io.hearth.parameterserver.optimize;

import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.wire.Adadelta;
import io.hearth.parameterserver.wire.Adagrad;
import io.hearth.parameterserver.wire.Adam;
import io.hearth.parameterserver.wire.LinearRate;
import io.hearth.parameterserver.wire.OptimizerConfig;
import io.hearth.parameterserver.wire.Sgd;

/** How one parameter is optimized. */
public record OptimizerSettings(Method method, LearningRate rate, Clip clip) {
    private static final double ADAGRAD_EPSILON = 1e-10;
    private static final double ADADELTA_RHO = 0.9;
    private static final double ADADELTA_EPSILON = 1e-6;
    private static final double ADAM_BETA1 = 0.9;
    private static final double ADAM_BETA2 = 0.999;
    private static final double ADAM_EPSILON = 1e-8;

    /**
     * Checks that a parameter of this type can be optimized so.
     *
     * @throws IllegalArgumentException with what to do
     */
    public void checkFor(ElementType type) {
        boolean isPlain = method instanceof Method.Sgd sgd && sgd.momentum() == 0 && sgd.decay() == 0;
        if (!type.isFloat() && !(isPlain && clip instanceof Clip.None)) {
            throw new IllegalArgumentException("parameters of type " + type
                    + " take SGD without momentum, decay and clipping: choose it, or FLOAT32 or FLOAT64");
        }
    }

    /**
     * Reads the form of the wire.
     *
     * @throws IllegalArgumentException with what to do
     */
    public static OptimizerSettings of(OptimizerConfig config) {
        Method method = switch (config.getMethodCase()) {
            case SGD ->
                new Method.Sgd(
                        config.getSgd().getMomentum(),
                        config.getSgd().getNesterov(),
                        config.getSgd().getDecay());
            case ADAGRAD -> adagrad(config.getAdagrad());
            case ADADELTA -> adadelta(config.getAdadelta());
            case ADAM -> adam(config.getAdam());
            case METHOD_NOT_SET ->
                throw new IllegalArgumentException(
                        "a parameter needs an optimizer: set sgd, adagrad, adadelta or adam in its config");
        };
        LearningRate rate = switch (config.getRateCase()) {
            case CONSTANT_RATE -> new LearningRate.Constant(config.getConstantRate());
            case LINEAR_RATE ->
                new LearningRate.Linear(
                        config.getLinearRate().getRate(),
                        config.getLinearRate().getA(),
                        config.getLinearRate().getB());
            case RATE_NOT_SET ->
                throw new IllegalArgumentException(
                        "a parameter needs a learning rate: set constant_rate or linear_rate in its config");
        };
        Clip clip = switch (config.getClipCase()) {
            case CLIP_NORM -> new Clip.Norm(config.getClipNorm());
            case CLIP_VALUE -> new Clip.Value(config.getClipValue());
            case CLIP_NOT_SET -> new Clip.None();
        };
        return new OptimizerSettings(method, rate, clip);
    }

    private static Method adagrad(Adagrad frame) {
        return new Method.Adagrad(frame.hasEpsilon() ? frame.getEpsilon() : ADAGRAD_EPSILON, frame.getDecay());
    }

    private static Method adadelta(Adadelta frame) {
        return new Method.Adadelta(
                frame.hasRho() ? frame.getRho() : ADADELTA_RHO,
                frame.hasEpsilon() ? frame.getEpsilon() : ADADELTA_EPSILON,
                frame.getDecay());
    }

    private static Method adam(Adam frame) {
        return new Method.Adam(
                frame.hasBeta1() ? frame.getBeta1() : ADAM_BETA1,
                frame.hasBeta2() ? frame.getBeta2() : ADAM_BETA2,
                frame.hasEpsilon() ? frame.getEpsilon() : ADAM_EPSILON,
                frame.getDecay());
    }

    /** The form of the wire. */
    public OptimizerConfig wire() {
        var config = OptimizerConfig.newBuilder();
        switch (method) {
            case Method.Sgd(double momentum, boolean isNesterov, double decay) ->
                config.setSgd(Sgd.newBuilder()
                        .setMomentum(momentum)
                        .setNesterov(isNesterov)
                        .setDecay(decay));
            case Method.Adagrad(double epsilon, double decay) ->
                config.setAdagrad(Adagrad.newBuilder().setEpsilon(epsilon).setDecay(decay));
            case Method.Adadelta(double rho, double epsilon, double decay) ->
                config.setAdadelta(
                        Adadelta.newBuilder().setRho(rho).setEpsilon(epsilon).setDecay(decay));
            case Method.Adam(double beta1, double beta2, double epsilon, double decay) ->
                config.setAdam(Adam.newBuilder()
                        .setBeta1(beta1)
                        .setBeta2(beta2)
                        .setEpsilon(epsilon)
                        .setDecay(decay));
        }
        switch (rate) {
            case LearningRate.Constant(double constant) -> config.setConstantRate(constant);
            case LearningRate.Linear(double from, double a, double b) ->
                config.setLinearRate(
                        LinearRate.newBuilder().setRate(from).setA(a).setB(b));
        }
        switch (clip) {
            case Clip.None() -> {}
            case Clip.Norm(double max) -> config.setClipNorm(max);
            case Clip.Value(double max) -> config.setClipValue(max);
        }
        return config.build();
    }
}
