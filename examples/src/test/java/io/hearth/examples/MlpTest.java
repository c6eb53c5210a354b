package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MlpTest {
    private static final int WIDTH = 5;
    private static final int CLASSES = 3;

    /** Compares backpropagation with the slope of the loss, measured by a small change of each parameter. */
    @Test
    void gradientsAreTheSlopeOfTheLoss() {
        Batch batch = random(7, 1);
        Mlp mlp = new Mlp(WIDTH, 4, CLASSES, 0.1f, 3);
        float[] gradients = mlp.gradients(batch);
        float[] parameters = mlp.parameters();
        assertEquals(WIDTH * 4 + 4 + 4 * CLASSES + CLASSES, parameters.length);
        float nudge = 1e-2f;
        for (int i = 0; i < parameters.length; i++) {
            float kept = parameters[i];
            parameters[i] = kept + nudge;
            double above = loss(mlp, batch);
            parameters[i] = kept - nudge;
            double below = loss(mlp, batch);
            parameters[i] = kept;
            assertEquals((above - below) / (2 * nudge), gradients[i], 2e-3, "parameter " + i);
        }
    }

    @Test
    void aStepFollowsTheGradientWithMomentum() {
        Mlp mlp = new Mlp(WIDTH, 4, CLASSES, 0.5f, 3);
        float before = mlp.parameters()[2];
        float[] gradients = new float[mlp.parameters().length];
        gradients[2] = 1;
        mlp.step(gradients);
        assertEquals(before - 0.5f, mlp.parameters()[2]);
        mlp.step(gradients);
        assertEquals(before - 0.5f - 0.5f * 1.9f, mlp.parameters()[2], 1e-6);
    }

    @Test
    void aStepTakesTheRateAndTheMomentumThatItIsGiven() {
        Mlp mlp = new Mlp(WIDTH, 4, CLASSES, 0.5f, 3);
        float before = mlp.parameters()[2];
        float[] gradients = new float[mlp.parameters().length];
        gradients[2] = 1;
        mlp.step(gradients, 0.25f, 0);
        assertEquals(before - 0.25f, mlp.parameters()[2]);
        mlp.step(gradients, 0.25f, 0);
        assertEquals(before - 0.25f - 0.25f, mlp.parameters()[2], 1e-6);
        mlp.step(gradients, 1, 0.5f);
        assertEquals(before - 0.5f - 1.5f, mlp.parameters()[2], 1e-6);
    }

    @Test
    void gradientsGoOverWhatAnArrayHeld() {
        Batch batch = random(7, 1);
        Mlp mlp = new Mlp(WIDTH, 4, CLASSES, 0.1f, 3);
        float[] kept = new float[mlp.parameters().length];
        Arrays.fill(kept, 7);
        mlp.gradients(batch, kept);
        assertArrayEquals(mlp.gradients(batch), kept, 0);
        assertThrows(IllegalArgumentException.class, () -> mlp.gradients(batch, new float[3]));
    }

    /** Biases begin at zero and weights do not, which distinguishes them. */
    @Test
    void theMatricesAreTheWeightsAndNothingElse() {
        Mlp mlp = new Mlp(WIDTH, 4, CLASSES, 0.1f, 3);
        boolean[] weights = new boolean[mlp.parameters().length];
        for (Mlp.Matrix matrix : mlp.matrices()) {
            Arrays.fill(weights, matrix.first(), matrix.first() + matrix.rows() * matrix.columns(), true);
        }
        for (int i = 0; i < weights.length; i++) {
            assertEquals(weights[i], mlp.parameters()[i] != 0, "parameter " + i);
        }
        assertEquals(List.of(new Mlp.Matrix(0, WIDTH, 4), new Mlp.Matrix(WIDTH * 4 + 4, 4, CLASSES)), mlp.matrices());
    }

    @Test
    void theSameSeedAndStepsGiveTheSameBits() {
        assertArrayEquals(trained(5), trained(5));
        assertFalse(Arrays.equals(trained(5), trained(6)));
    }

    @Test
    void theMeanOfTheShardsGradientsIsTheWholeBatchsGradient() {
        Batch whole = random(40, 2);
        int[] order = Shuffle.order(40, 3);
        Mlp mlp = new Mlp(WIDTH, 8, CLASSES, 0.1f, 3);
        float[] mean = new float[mlp.parameters().length];
        for (int rank = 0; rank < 4; rank++) {
            float[] part = mlp.gradients(whole.pick(order, rank * 10, 10, 0));
            for (int i = 0; i < mean.length; i++) {
                mean[i] += part[i] / 4;
            }
        }
        assertArrayEquals(mlp.gradients(whole), mean, 1e-6f);
    }

    @Test
    void extremeInputsKeepTheLossFinite() {
        float[] features = new float[WIDTH * 2];
        Arrays.fill(features, 1e6f);
        Mlp mlp = new Mlp(WIDTH, 8, CLASSES, 0.1f, 3);
        for (float gradient : mlp.gradients(new Batch(WIDTH, features, new int[] {0, 1}, 0))) {
            assertTrue(Float.isFinite(gradient));
        }
        assertTrue(Float.isFinite(mlp.loss()));
    }

    @Test
    void wrongShapesAreRefused() {
        Mlp mlp = new Mlp(WIDTH, 8, CLASSES, 0.1f, 3);
        Batch other = new Batch(2, new float[4], new int[2], 0);
        Batch none = new Batch(WIDTH, new float[0], new int[0], 0);
        assertThrows(IllegalArgumentException.class, () -> mlp.gradients(other));
        assertThrows(IllegalArgumentException.class, () -> mlp.right(other));
        assertThrows(IllegalArgumentException.class, () -> mlp.gradients(none));
        assertThrows(IllegalArgumentException.class, () -> mlp.step(new float[3]));
        assertThrows(IllegalArgumentException.class, () -> new Batch(2, new float[3], new int[2], 0));
    }

    @ParameterizedTest
    @ValueSource(floats = {0, -1, Float.NaN})
    void theLearningRateMustBePositive(float learningRate) {
        assertThrows(IllegalArgumentException.class, () -> new Mlp(WIDTH, 8, CLASSES, learningRate, 3));
    }

    private static float[] trained(long seed) {
        Mlp mlp = new Mlp(WIDTH, 8, CLASSES, 0.1f, seed);
        for (int step = 0; step < 5; step++) {
            mlp.step(mlp.gradients(random(9, step)));
        }
        return mlp.parameters();
    }

    private static double loss(Mlp mlp, Batch batch) {
        mlp.gradients(batch);
        return mlp.loss();
    }

    private static Batch random(int size, long seed) {
        var random = new SplittableRandom(seed);
        float[] features = new float[size * WIDTH];
        int[] labels = new int[size];
        for (int i = 0; i < features.length; i++) {
            features[i] = (float) random.nextGaussian();
        }
        for (int i = 0; i < size; i++) {
            labels[i] = random.nextInt(CLASSES);
        }
        return new Batch(WIDTH, features, labels, 0);
    }
}
