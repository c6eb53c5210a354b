package io.hearth.parameterserver.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.hearth.parameterserver.Sizes;
import io.hearth.parameterserver.wire.Adadelta;
import io.hearth.parameterserver.wire.Adagrad;
import io.hearth.parameterserver.wire.Adam;
import io.hearth.parameterserver.wire.ElementType;
import io.hearth.parameterserver.wire.FinishInitParamsRequest;
import io.hearth.parameterserver.wire.GradientEncoding;
import io.hearth.parameterserver.wire.InitParamRequest;
import io.hearth.parameterserver.wire.LinearRate;
import io.hearth.parameterserver.wire.OptimizerConfig;
import io.hearth.parameterserver.wire.Parameter;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.parameterserver.wire.Sgd;
import io.hearth.parameterserver.wire.TrainersFrame;
import io.hearth.parameterserver.wire.UpdateFrame;
import io.hearth.serve.Failure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables of parameters: errors of the original, repeats, steps of several trainers, and restored ones. */
final class ParameterTableTest {
    private static final OptimizerConfig SGD = OptimizerConfig.newBuilder()
            .setSgd(Sgd.newBuilder())
            .setConstantRate(1)
            .build();

    private static ByteString floats(float... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float number : numbers) {
            bytes.putFloat(number);
        }
        return ByteString.copyFrom(bytes.array());
    }

    private static Parameter parameter(String name, float... numbers) {
        return Parameter.newBuilder()
                .setName(name)
                .setElementType(ElementType.FLOAT32)
                .setContent(floats(numbers))
                .build();
    }

    private static UpdateFrame init(Parameter parameter, OptimizerConfig config) {
        return UpdateFrame.newBuilder()
                .setInit(InitParamRequest.newBuilder().setParam(parameter).setConfig(config))
                .build();
    }

    private static UpdateFrame finish(String trainer) {
        return UpdateFrame.newBuilder()
                .setFinish(FinishInitParamsRequest.newBuilder().setTrainer(trainer))
                .build();
    }

    private static UpdateFrame gradient(String trainer, long sequence, Parameter gradient) {
        return UpdateFrame.newBuilder()
                .setGradient(SendGradRequest.newBuilder()
                        .setTrainer(trainer)
                        .setSequence(sequence)
                        .setGradient(gradient))
                .build();
    }

    private static UpdateFrame trainers(String... names) {
        return UpdateFrame.newBuilder()
                .setTrainers(TrainersFrame.newBuilder().addAllTrainers(List.of(names)))
                .build();
    }

    private static ParameterTable table(boolean isSynchronous) {
        var table = new ParameterTable(isSynchronous, TableSnapshot.EMPTY);
        table.apply(init(parameter("w", 10, 20), SGD));
        table.apply(finish("a"));
        return table;
    }

    private static void assertFails(Failure.Code code, String text, Outcome outcome) {
        assertEquals(new Outcome.Refused(new Failure(code, text)), outcome);
    }

    private static float[] values(ParameterTable table, String name) {
        var values = table.find(name).orElseThrow().state().values();
        float[] numbers = new float[values.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) values.get(i);
        }
        return numbers;
    }

    @Test
    void errorsAreThoseOfTheOriginal() {
        var table = new ParameterTable(false, TableSnapshot.EMPTY);
        assertFails(
                Failure.Code.FAILED_PRECONDITION,
                "pserver not fully initialized",
                table.apply(gradient("", 0, parameter("w", 1))));
        table.apply(init(parameter("w", 0), SGD));
        table.apply(init(parameter("w", 10, 20), SGD)); // a repeat overwrites
        table.apply(finish("a"));
        assertFails(
                Failure.Code.ALREADY_EXISTS, "pserver already initialized", table.apply(init(parameter("v", 1), SGD)));
        assertFails(Failure.Code.ALREADY_EXISTS, "pserver already initialized", table.apply(finish("b")));
        assertFails(
                Failure.Code.NOT_FOUND, "parameter: x does not exist", table.apply(gradient("", 0, parameter("x", 1))));
        assertFails(
                Failure.Code.INVALID_ARGUMENT,
                "wrong type: parameter w has the type FLOAT32, its gradient has the type INT64",
                table.apply(gradient(
                        "",
                        0,
                        parameter("w", 1, 2).toBuilder()
                                .setElementType(ElementType.INT64)
                                .build())));
        assertFails(
                Failure.Code.INVALID_ARGUMENT,
                "wrong length: a gradient in DENSE for 2 elements of FLOAT32 has 8 bytes, got 4: send one for this parameter",
                table.apply(gradient("", 0, parameter("w", 1))));
        assertFails(
                Failure.Code.INVALID_ARGUMENT, "no gradient received", table.apply(gradient("", 0, parameter("w"))));
        assertFails(
                Failure.Code.INVALID_ARGUMENT,
                "no gradient received",
                table.apply(UpdateFrame.newBuilder()
                        .setGradient(SendGradRequest.getDefaultInstance())
                        .build()));
        assertArrayEquals(new float[] {10, 20}, values(table, "w"));
    }

    @Test
    void parametersThatCannotBeKeptAreRefused() {
        var table = new ParameterTable(false, TableSnapshot.EMPTY);
        var integer = Parameter.newBuilder()
                .setName("i")
                .setElementType(ElementType.INT32)
                .setContent(floats(1))
                .build();
        var adam = OptimizerConfig.newBuilder()
                .setAdam(Adam.newBuilder())
                .setConstantRate(1)
                .build();
        for (UpdateFrame wrong : List.of(
                init(parameter("", 1), SGD),
                init(parameter("x".repeat(Sizes.NAME_CHARACTERS_MAX + 1), 1), SGD),
                init(parameter("w"), SGD),
                init(parameter("w", 1), OptimizerConfig.getDefaultInstance()),
                init(integer, adam),
                init(parameter("w", 1).toBuilder().setElementTypeValue(6).build(), SGD),
                init(
                        parameter("w", 1).toBuilder()
                                .setContent(ByteString.copyFrom(new byte[5]))
                                .build(),
                        SGD),
                UpdateFrame.getDefaultInstance())) {
            var refused = assertInstanceOf(Outcome.Refused.class, table.apply(wrong));
            assertEquals(Failure.Code.INVALID_ARGUMENT, refused.why().code());
        }
        assertEquals(0, table.size());
    }

    @Test
    void aRepeatIsNotAppliedAgain() {
        ParameterTable table = table(false);
        assertEquals(new Outcome.Taken(1, true, false), table.apply(gradient("a", 1, parameter("w", 1, 1))));
        assertEquals(new Outcome.Taken(1, true, true), table.apply(gradient("a", 1, parameter("w", 1, 1))));
        assertEquals(new Outcome.Taken(2, true, false), table.apply(gradient("b", 1, parameter("w", 1, 0))));
        assertEquals(new Outcome.Taken(1, true, true), table.apply(gradient("a", 1, parameter("w", 1, 1))));
        assertArrayEquals(new float[] {8, 19}, values(table, "w"));
        assertEquals(new Outcome.Taken(0, true, true), table.apply(finish("a")));
    }

    @Test
    void aStepAppliesTheMeanOnce() {
        ParameterTable table = table(true);
        table.apply(trainers("a", "b"));
        assertEquals(new Outcome.Taken(1, false, false), table.apply(gradient("b", 1, parameter("w", 4, 0))));
        assertArrayEquals(new float[] {10, 20}, values(table, "w"));
        assertEquals(new Outcome.Taken(1, false, true), table.apply(gradient("b", 1, parameter("w", 4, 0))));
        var early = assertInstanceOf(Outcome.Refused.class, table.apply(gradient("b", 2, parameter("w", 1, 1))));
        assertTrue(
                early.why().text().contains("get version 1 before"), early.why().text());
        var stranger = assertInstanceOf(Outcome.Refused.class, table.apply(gradient("c", 1, parameter("w", 1, 1))));
        assertTrue(
                stranger.why().text().contains("call Register"), stranger.why().text());
        assertEquals(new Outcome.Taken(1, true, false), table.apply(gradient("a", 1, parameter("w", 0, 2))));
        assertArrayEquals(new float[] {8, 19}, values(table, "w"));
    }

    @Test
    void theOrderOfArrivalDoesNotChangeAStep() {
        ParameterTable one = table(true);
        ParameterTable other = table(true);
        one.apply(trainers("a", "b", "c"));
        other.apply(trainers("a", "b", "c"));
        var gradients = List.of(
                gradient("a", 1, parameter("w", 1e8f, 0.1f)),
                gradient("b", 1, parameter("w", -1e8f, 0.2f)),
                gradient("c", 1, parameter("w", 0.3f, 0.3f)));
        gradients.forEach(one::apply);
        gradients.reversed().forEach(other::apply);
        assertArrayEquals(TableEncoding.encode(one.snapshot()), TableEncoding.encode(other.snapshot()));
    }

    /** What it sent was acknowledged, so it counts. */
    @Test
    void aTrainerThatLeavesDoesNotHoldTheStepUp() {
        ParameterTable table = table(true);
        table.apply(trainers("a", "b", "c"));
        table.apply(gradient("a", 1, parameter("w", 2, 0)));
        table.apply(gradient("b", 1, parameter("w", 4, 0)));
        table.apply(trainers("a"));
        assertArrayEquals(new float[] {7, 20}, values(table, "w"));
        assertEquals(new Outcome.Taken(2, true, false), table.apply(gradient("a", 2, parameter("w", 1, 1))));
    }

    @Test
    void whatAReaderHasDoesNotChange() {
        ParameterTable table = table(false);
        Stored before = table.find("w").orElseThrow();
        TableSnapshot snapshot = table.snapshot();
        byte[] encoded = TableEncoding.encode(snapshot);
        table.apply(gradient("a", 1, parameter("w", 1, 1)));
        assertEquals(10, before.state().values().get(0));
        assertArrayEquals(encoded, TableEncoding.encode(snapshot));
    }

    @Test
    void aRestoredTableGoesOnBitForBit() {
        var methods = List.of(
                SGD,
                OptimizerConfig.newBuilder()
                        .setSgd(Sgd.newBuilder()
                                .setMomentum(0.9)
                                .setNesterov(true)
                                .setDecay(0.01))
                        .setLinearRate(
                                LinearRate.newBuilder().setRate(0.5).setA(0.004).setB(0.1))
                        .setClipNorm(1.5)
                        .build(),
                OptimizerConfig.newBuilder()
                        .setAdagrad(Adagrad.newBuilder())
                        .setConstantRate(0.1)
                        .setClipValue(0.7)
                        .build(),
                OptimizerConfig.newBuilder()
                        .setAdadelta(Adadelta.newBuilder().setDecay(0.1))
                        .setConstantRate(1)
                        .build(),
                OptimizerConfig.newBuilder()
                        .setAdam(Adam.newBuilder())
                        .setConstantRate(0.1)
                        .build());
        for (boolean isSynchronous : new boolean[] {false, true}) {
            var whole = new ParameterTable(isSynchronous, TableSnapshot.EMPTY);
            for (int i = 0; i < methods.size(); i++) {
                whole.apply(init(parameter("w" + i, 1, -2, 3), methods.get(i)));
            }
            whole.apply(finish("a"));
            whole.apply(trainers("a", "b"));
            ParameterTable restored = whole;
            for (int step = 1; step <= 100; step++) {
                for (int i = 0; i < methods.size(); i++) {
                    for (String trainer : List.of("a", "b")) {
                        var next = gradient(
                                trainer,
                                step,
                                parameter(
                                        "w" + i,
                                        (float) Math.sin(step + i),
                                        (float) Math.cos(step),
                                        trainer.equals("a") ? 1 : -0.3f));
                        whole.apply(next);
                        if (restored != whole) {
                            restored.apply(next);
                        }
                        if (step == 50 && i == 2 && trainer.equals("a")) { // in the middle of a step
                            restored = new ParameterTable(
                                    isSynchronous, TableEncoding.decode(TableEncoding.encode(whole.snapshot())));
                        }
                    }
                }
            }
            assertTrue(restored != whole && whole.find("w4").orElseThrow().version() >= 100);
            assertArrayEquals(TableEncoding.encode(whole.snapshot()), TableEncoding.encode(restored.snapshot()));
        }
        assertThrows(IllegalArgumentException.class, () -> TableEncoding.decode(new byte[] {34, 2, 18, 99}));
    }

    @Test
    void compressedGradientsAreApplied() {
        ParameterTable table = table(false);
        var content = ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(1)
                .putInt(1)
                .putFloat(5);
        var sparse = SendGradRequest.newBuilder()
                .setGradient(parameter("w").toBuilder().setContent(ByteString.copyFrom(content.array())))
                .setEncoding(GradientEncoding.TOPK);
        table.apply(UpdateFrame.newBuilder().setGradient(sparse).build());
        assertArrayEquals(new float[] {10, 15}, values(table, "w"));
    }

    @Test
    void theTrainersThatAreRememberedAreBounded() {
        ParameterTable table = table(false);
        for (int i = 0; i < Sizes.TRAINERS_MAX + 50; i++) {
            table.apply(gradient("t" + i, 1, parameter("w", 0, 0)));
        }
        Stored stored = table.find("w").orElseThrow();
        assertEquals(Sizes.TRAINERS_MAX, stored.seen().size());
        assertTrue(stored.seen().containsKey("t50") && !stored.seen().containsKey("t49"));
    }
}
