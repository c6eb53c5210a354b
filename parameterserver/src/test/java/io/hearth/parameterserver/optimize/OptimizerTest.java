package io.hearth.parameterserver.optimize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.parameterserver.ElementType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 100 updates of each optimizer, compared with {@code torch.optim} in float64. */
final class OptimizerTest {
    private static final int UPDATES = 100;
    private static final double[] START = {1, -2, 0.5, 3, -0.25};
    private static final Clip NONE = new Clip.None();

    private static final Map<String, OptimizerSettings> SETTINGS = Map.of(
            "sgd", new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(0.05), NONE),
            "sgd-momentum",
                    new OptimizerSettings(new Method.Sgd(0.9, false, 0.01), new LearningRate.Constant(0.05), NONE),
            "sgd-nesterov", new OptimizerSettings(new Method.Sgd(0.8, true, 0), new LearningRate.Constant(0.05), NONE),
            "adagrad", new OptimizerSettings(new Method.Adagrad(1e-10, 0.01), new LearningRate.Constant(0.1), NONE),
            "adadelta", new OptimizerSettings(new Method.Adadelta(0.9, 1e-6, 0.01), new LearningRate.Constant(1), NONE),
            "adam",
                    new OptimizerSettings(
                            new Method.Adam(0.9, 0.999, 1e-8, 0.01), new LearningRate.Constant(0.02), NONE));

    private static Values values(ElementType type, double... numbers) {
        Values values = Values.zeros(type, numbers.length);
        for (int i = 0; i < numbers.length; i++) {
            values.set(i, numbers[i]);
        }
        return values;
    }

    private static double[] numbers(Values values) {
        double[] numbers = new double[values.size()];
        Arrays.setAll(numbers, values::get);
        return numbers;
    }

    private static OptimizerState run(OptimizerState state, int updates) {
        OptimizerState now = state;
        for (int i = 0; i < updates; i++) {
            double[] gradient = new double[now.values().size()];
            for (int k = 0; k < gradient.length; k++) {
                gradient[k] = StrictMath.sin(0.7 * k + 0.3 * (now.updates() + 1))
                        + 0.1 * now.values().get(k);
            }
            now = Optimizer.update(now, gradient);
        }
        return now;
    }

    private static OptimizerSettings settings(String name) {
        return Objects.requireNonNull(SETTINGS.get(name));
    }

    private static Map<String, double[]> torch() throws IOException {
        var results = new TreeMap<String, double[]>();
        try (var in = OptimizerTest.class.getResourceAsStream("torch.txt")) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> List.of(line.split(" ")))
                    .forEach(line -> results.put(
                            line.getFirst(),
                            line.stream()
                                    .skip(1)
                                    .mapToDouble(Double::parseDouble)
                                    .toArray()));
        }
        return results;
    }

    @ParameterizedTest
    @ValueSource(strings = {"sgd", "sgd-momentum", "sgd-nesterov", "adagrad", "adadelta", "adam"})
    void hundredUpdatesAreThoseOfTorch(String name) throws IOException {
        double[] expected = torch().get(name);
        OptimizerSettings settings = settings(name);
        assertArrayEquals(
                expected,
                numbers(run(OptimizerState.start(settings, values(ElementType.FLOAT64, START)), UPDATES)
                        .values()),
                1e-12);
        assertArrayEquals(
                expected,
                numbers(run(OptimizerState.start(settings, values(ElementType.FLOAT32, START)), UPDATES)
                        .values()),
                1e-6 * UPDATES / 10, // each update rounds to float32 once
                "float32");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sgd", "sgd-momentum", "sgd-nesterov", "adagrad", "adadelta", "adam"})
    void aStateDoesNotChangeWhenItIsUpdated(String name) {
        OptimizerState half =
                run(OptimizerState.start(settings(name), values(ElementType.FLOAT32, START)), UPDATES / 2);
        byte[] values = half.values().bytes().clone();
        List<byte[]> slots =
                half.slots().stream().map(slot -> slot.bytes().clone()).toList();
        run(half, 1);
        assertArrayEquals(values, half.values().bytes());
        for (int i = 0; i < slots.size(); i++) {
            assertArrayEquals(slots.get(i), half.slots().get(i).bytes());
        }
    }

    @Test
    void aLinearRateFallsToItsBound() {
        LearningRate rate = new LearningRate.Linear(1, 0.25, 0.3);
        assertEquals(0.75, rate.at(1));
        assertEquals(0.5, rate.at(2));
        assertEquals(0.3, rate.at(3));
        assertEquals(0.3, rate.at(1_000_000));
        var sgd = new OptimizerSettings(new Method.Sgd(0, false, 0), rate, NONE);
        OptimizerState state = OptimizerState.start(sgd, values(ElementType.FLOAT64, 10));
        for (int i = 0; i < 4; i++) {
            state = Optimizer.update(state, new double[] {1});
        }
        assertEquals(10 - 0.75 - 0.5 - 0.3 - 0.3, state.values().get(0), 1e-12);
    }

    @Test
    void clippingBoundsGradients() {
        double[] norm = {3, -4};
        new Clip.Norm(1).clip(norm);
        assertArrayEquals(new double[] {0.6, -0.8}, norm, 1e-15);
        double[] small = {0.3, 0.4};
        new Clip.Norm(1).clip(small);
        assertArrayEquals(new double[] {0.3, 0.4}, small);
        double[] value = {3, -4, 0.5};
        new Clip.Value(2).clip(value);
        assertArrayEquals(new double[] {2, -2, 0.5}, value);
        var sgd = new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.Norm(1));
        OptimizerState state = OptimizerState.start(sgd, values(ElementType.FLOAT64, 0, 0));
        assertArrayEquals(
                new double[] {-0.6, 0.8},
                numbers(Optimizer.update(state, new double[] {3, -4}).values()),
                1e-15);
    }

    @Test
    void decayPullsTowardsZero() {
        for (Method method : List.of(
                new Method.Sgd(0, false, 0.1),
                new Method.Adagrad(1e-10, 0.1),
                new Method.Adadelta(0.9, 1e-6, 0.1),
                new Method.Adam(0.9, 0.999, 1e-8, 0.1))) {
            var settings = new OptimizerSettings(method, new LearningRate.Constant(0.1), NONE);
            OptimizerState state = OptimizerState.start(settings, values(ElementType.FLOAT64, 5, -5));
            OptimizerState next = Optimizer.update(state, new double[2]);
            assertTrue(next.values().get(0) < 5 && next.values().get(1) > -5, method.toString());
        }
    }

    private static Values integers(ElementType type, long... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (long number : numbers) {
            if (type.bytes() == 4) {
                bytes.putInt((int) number);
            } else {
                bytes.putLong(number);
            }
        }
        return Values.over(type, bytes.array());
    }

    private static byte[] less(ElementType type, double rate, double[] gradient, long... start) {
        var sgd = new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(rate), NONE);
        return Optimizer.update(OptimizerState.start(sgd, integers(type, start)), gradient)
                .values()
                .bytes();
    }

    @Test
    void integersAreRoundedAndStopAtTheirBounds() {
        for (ElementType type : List.of(ElementType.INT32, ElementType.INT64)) {
            assertArrayEquals(
                    integers(type, 8, 10, 12, 8).bytes(), // 2.5 -> 2, 0.5 -> 0, -1.5 -> -2, 2 -> 2
                    less(type, 0.5, new double[] {5, 1, -3, 4}, 10, 10, 10, 10));
        }
        assertArrayEquals(
                integers(ElementType.INT32, Integer.MIN_VALUE, Integer.MAX_VALUE)
                        .bytes(),
                less(ElementType.INT32, 1, new double[] {3e9, -3e9}, -5, 5));
        assertArrayEquals(
                integers(ElementType.UINT32, 0, 0xFFFF_FFFFL).bytes(),
                less(ElementType.UINT32, 1, new double[] {7, -7}, 5, 0xFFFF_FFFDL));
        assertArrayEquals(
                integers(ElementType.INT64, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 3)
                        .bytes(),
                less(ElementType.INT64, 1, new double[] {1e30, -1e30, 2}, -5, 5, Long.MAX_VALUE - 1));
        assertArrayEquals(
                integers(ElementType.INT64, Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE + 7, -(1L << 62) - 1)
                        .bytes(),
                less(ElementType.INT64, 1, new double[] {1e30, -1e30, 0x1p63, 0x1.8p63}, 5, -5, 7, Long.MAX_VALUE));
        assertArrayEquals(
                integers(ElementType.UINT64, 0, -1, -5, Long.MIN_VALUE).bytes(),
                less(ElementType.UINT64, 1, new double[] {1e30, -1e30, 3, -0x1p63}, 5, -2, -2, 0));
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Method.Sgd(1.1, false, 0));
        assertThrows(IllegalArgumentException.class, () -> new Method.Sgd(0, true, 0));
        assertThrows(IllegalArgumentException.class, () -> new Method.Adam(1, 0.9, 1e-8, 0));
        assertThrows(IllegalArgumentException.class, () -> new Method.Adadelta(Double.NaN, 1e-6, 0));
        assertThrows(IllegalArgumentException.class, () -> new LearningRate.Constant(-1));
        assertThrows(IllegalArgumentException.class, () -> new Clip.Norm(0));
        assertThrows(
                IllegalArgumentException.class,
                () -> OptimizerState.start(settings("adam"), integers(ElementType.INT32, 1)));
        for (OptimizerSettings settings : SETTINGS.values()) {
            assertEquals(settings, OptimizerSettings.of(settings.wire()));
        }
    }
}
