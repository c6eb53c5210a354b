package io.hearth.examples;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A small neural network: one hidden layer with ReLU, softmax cross-entropy, trained by gradient descent with momentum.
 *
 * <p>All parameters lie in one {@code float[]}, and so do the gradients: the shape in which a cluster averages them. All arithmetic is
 * deterministic and the weights come from a seed, so the same steps give the same bits on every machine.
 *
 * <pre>
 * parameters: | input to hidden: width x hidden | hidden bias | hidden to output: hidden x classes | output bias |
 * </pre>
 */
public final class Mlp {
    /** The momentum of {@link #step(float[])}. */
    public static final float MOMENTUM = 0.9f;

    private final int width;
    private final int hidden;
    private final int classes;
    private final int hiddenBias;
    private final int outputWeights;
    private final int outputBias;
    private final float learningRate;
    private final float[] parameters;
    private final float[] velocity;
    private float loss = Float.NaN;

    /**
     * A network with random weights, scaled for ReLU (He et al. 2015), and zero biases.
     *
     * @param width features per sample
     * @param hidden units of the hidden layer
     * @param classes outputs
     * @param learningRate step size, above 0
     * @param seed the same on all nodes of a cluster
     */
    public Mlp(int width, int hidden, int classes, float learningRate, long seed) {
        if (width < 1 || hidden < 1 || classes < 2 || !(learningRate > 0)) {
            throw new IllegalArgumentException("need width and hidden >= 1, classes >= 2, learning rate > 0, got "
                    + width + ", " + hidden + ", " + classes + ", " + learningRate);
        }
        this.width = width;
        this.hidden = hidden;
        this.classes = classes;
        this.learningRate = learningRate;
        hiddenBias = width * hidden;
        outputWeights = hiddenBias + hidden;
        outputBias = outputWeights + hidden * classes;
        parameters = new float[outputBias + classes];
        velocity = new float[parameters.length];
        var random = new SplittableRandom(seed);
        fill(0, hiddenBias, Math.sqrt(6.0 / width), random);
        fill(outputWeights, outputBias, Math.sqrt(6.0 / hidden), random);
    }

    /**
     * The position of a layer's weights among the parameters, for callers that treat matrices and biases differently.
     *
     * @param first index of the upper left weight
     * @param rows inputs of the layer
     * @param columns its outputs; a row lies in one piece
     */
    public record Matrix(int first, int rows, int columns) {}

    /** The weights of both layers, in the order of {@link #parameters}. */
    public List<Matrix> matrices() {
        return List.of(new Matrix(0, width, hidden), new Matrix(outputWeights, hidden, classes));
    }

    private void fill(int from, int to, double limit, SplittableRandom random) {
        for (int i = from; i < to; i++) {
            parameters[i] = (float) ((2 * random.nextDouble() - 1) * limit);
        }
    }

    /** The network's own array, for broadcasting and hashing; a change of it changes the network. */
    public float[] parameters() {
        return parameters;
    }

    /** The network's own momentum, which a node that joins later needs besides the parameters; a change of it changes the network. */
    public float[] velocity() {
        return velocity;
    }

    /** Mean loss of the batch that {@link #gradients} saw last; NaN before the first. */
    public float loss() {
        return loss;
    }

    /**
     * The gradient of the mean loss over {@code batch}.
     *
     * @param batch at least one sample of {@code width} features; borrowed
     * @return a new array, in the order of {@link #parameters}
     */
    public float[] gradients(Batch batch) {
        float[] gradients = new float[parameters.length];
        gradients(batch, gradients);
        return gradients;
    }

    /**
     * As {@link #gradients(Batch)}, but overwrites the given array: for loops that reuse their arrays.
     *
     * @param gradients as long as {@link #parameters}; written
     */
    public void gradients(Batch batch, float[] gradients) {
        checkFits(batch);
        checkLength(gradients);
        Arrays.fill(gradients, 0);
        float[] activations = new float[hidden];
        float[] errors = new float[classes];
        float[] hiddenErrors = new float[hidden];
        float sum = 0;
        for (int sample = 0; sample < batch.size(); sample++) {
            forward(batch, sample, activations, errors);
            sum += softmaxLoss(errors, batch.label(sample));
            backward(batch, sample, activations, errors, hiddenErrors, gradients);
        }
        for (int i = 0; i < gradients.length; i++) {
            gradients[i] /= batch.size();
        }
        loss = sum / batch.size();
    }

    /**
     * One step of gradient descent: {@code velocity = 0.9 velocity + gradient}, {@code parameter -= learningRate velocity}.
     *
     * @param gradients in the order of {@link #parameters}; borrowed
     */
    public void step(float[] gradients) {
        step(gradients, learningRate, MOMENTUM);
    }

    /**
     * As {@link #step(float[])}, with another momentum: for sums that include momentum already.
     *
     * @param momentum 0 to below 1
     */
    public void step(float[] gradients, float momentum) {
        step(gradients, learningRate, momentum);
    }

    /**
     * As {@link #step(float[])}, for recipes that change the rate during training, or whose compression applies the momentum.
     *
     * @param rate step size
     * @param momentum 0 to below 1
     */
    public void step(float[] gradients, float rate, float momentum) {
        checkLength(gradients);
        for (int i = 0; i < parameters.length; i++) {
            velocity[i] = momentum * velocity[i] + gradients[i];
            parameters[i] -= rate * velocity[i];
        }
    }

    /** The number of samples of {@code batch} that the network classifies correctly. */
    public int right(Batch batch) {
        checkFits(batch);
        float[] activations = new float[hidden];
        float[] outputs = new float[classes];
        int right = 0;
        for (int sample = 0; sample < batch.size(); sample++) {
            forward(batch, sample, activations, outputs);
            right += largest(outputs) == batch.label(sample) ? 1 : 0;
        }
        return right;
    }

    /** The share of the samples of {@code batch} that the network classifies correctly, 0 to 1. */
    public double accuracy(Batch batch) {
        return (double) right(batch) / batch.size();
    }

    private void checkLength(float[] gradients) {
        if (gradients.length != parameters.length) {
            throw new IllegalArgumentException("need " + parameters.length + " gradients, got " + gradients.length);
        }
    }

    private void checkFits(Batch batch) {
        if (batch.width() != width || batch.size() == 0) {
            throw new IllegalArgumentException(
                    "need at least one sample of " + width + " features, got " + batch.size() + " of " + batch.width());
        }
    }

    /** Inner loops run along the parameters, where C2 makes vector code of them. */
    private void forward(Batch batch, int sample, float[] activations, float[] outputs) {
        System.arraycopy(parameters, hiddenBias, activations, 0, hidden);
        for (int input = 0; input < width; input++) {
            float feature = batch.feature(sample, input);
            if (feature == 0) {
                continue; // half of all pixels are blank
            }
            int row = input * hidden;
            for (int unit = 0; unit < hidden; unit++) {
                activations[unit] += feature * parameters[row + unit];
            }
        }
        System.arraycopy(parameters, outputBias, outputs, 0, classes);
        for (int unit = 0; unit < hidden; unit++) {
            activations[unit] = Math.max(0, activations[unit]);
            int row = outputWeights + unit * classes;
            for (int output = 0; output < classes; output++) {
                outputs[output] += activations[unit] * parameters[row + output];
            }
        }
    }

    /** Replaces the outputs by the derivatives of the loss: softmax, minus one at the label. Returns the loss. */
    private static float softmaxLoss(float[] outputs, int label) {
        float largest = outputs[largest(outputs)];
        double sum = 0;
        for (float output : outputs) {
            sum += StrictMath.exp(output - largest);
        }
        float loss = (float) (StrictMath.log(sum) - (outputs[label] - largest));
        for (int i = 0; i < outputs.length; i++) {
            outputs[i] = (float) (StrictMath.exp(outputs[i] - largest) / sum);
        }
        outputs[label] -= 1;
        return loss;
    }

    private void backward(
            Batch batch, int sample, float[] activations, float[] errors, float[] hiddenErrors, float[] gradients) {
        for (int output = 0; output < classes; output++) {
            gradients[outputBias + output] += errors[output];
        }
        for (int unit = 0; unit < hidden; unit++) {
            int row = outputWeights + unit * classes;
            float error = 0;
            for (int output = 0; output < classes; output++) {
                gradients[row + output] += activations[unit] * errors[output];
                error += parameters[row + output] * errors[output];
            }
            hiddenErrors[unit] = activations[unit] > 0 ? error : 0;
            gradients[hiddenBias + unit] += hiddenErrors[unit];
        }
        for (int input = 0; input < width; input++) {
            float feature = batch.feature(sample, input);
            if (feature == 0) {
                continue; // half of all pixels are blank
            }
            int row = input * hidden;
            for (int unit = 0; unit < hidden; unit++) {
                gradients[row + unit] += feature * hiddenErrors[unit];
            }
        }
    }

    private static int largest(float[] values) {
        int largest = 0;
        for (int i = 1; i < values.length; i++) {
            if (values[i] > values[largest]) {
                largest = i;
            }
        }
        return largest;
    }
}
