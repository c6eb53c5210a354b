package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.Reducer;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.accel.selftest.CodecSelfTest;
import io.hearth.accel.selftest.ReducerSelfTest;
import io.hearth.accel.vector.VectorCodecKernels;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.standin.MetalStandIn;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class EngineSelfTestTest {
    @Test
    void allEnginesOfThisMachinePass() {
        List<EngineSelfTest.Verdict> verdicts = EngineSelfTest.here();
        assertEquals(List.of("portable", "vector"), names(verdicts).subList(0, 2));
        for (EngineSelfTest.Verdict verdict : verdicts) {
            assertFalse(verdict.isFault(), verdict::toString);
        }
        assertTrue(verdicts.get(1).right(), "the test's Java has the module");
    }

    private static List<String> names(List<EngineSelfTest.Verdict> verdicts) {
        return verdicts.stream().map(EngineSelfTest.Verdict::engine).toList();
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource
    void theStandInPassesInEveryManner(MetalStandIn.Manner manner) {
        FakeMetal fake = FakeMetal.get();
        fake.set(manner);
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            EngineSelfTest.Verdict verdict = EngineSelfTest.metal("metal", metal);
            assertTrue(verdict.right(), verdict::toString);
        }
        fake.assertObeyed();
    }

    @ParameterizedTest
    @CsvSource({"no_devices, false", "no_queue, true"})
    void aProcessThatSeesNoGpuHasNothingToReport(String control, boolean fault) {
        FakeMetal fake = FakeMetal.get();
        fake.set("no_default_device", fault ? 0 : 1);
        fake.set(control, 1);
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), MetalLimits.DEFAULTS)) {
            EngineSelfTest.Verdict verdict = EngineSelfTest.metal("metal", metal);
            assertEquals(fault, verdict.isFault(), verdict::toString);
            assertEquals(fault, verdict.text().startsWith("WRONG"), verdict::toString);
        }
    }

    /** A reducer with one wrong operation of one type. */
    private static final class Wrong implements Reducer {
        private final Reducer right = Engines.newReducer(Engine.PORTABLE);

        @Override
        public String name() {
            return "wrong";
        }

        @Override
        public CodecKernels codecKernels() {
            return right.codecKernels();
        }

        @Override
        public void combine(
                DataType type,
                ReduceOp op,
                MemorySegment target,
                long targetOffset,
                MemorySegment left,
                long leftOffset,
                MemorySegment other,
                long otherOffset,
                int count) {
            ReduceOp done = type == DataType.UINT8 && op == ReduceOp.MIN ? ReduceOp.MAX : op;
            right.combine(type, done, target, targetOffset, left, leftOffset, other, otherOffset, count);
        }

        @Override
        public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
            right.divide(type, values, offset, count, divisor);
        }
    }

    @Test
    void oneWrongOperationOfOneTypeIsNamed() {
        Optional<String> difference = ReducerSelfTest.of(new Wrong()).firstDifference();
        assertTrue(difference.orElse("").startsWith("UINT8 MIN at "), difference::toString);
    }

    @Test
    void wrongLevelsAreFound() {
        assertEquals(Optional.empty(), new CodecSelfTest(new VectorCodecKernels()).firstDifference());
        for (String method : List.of("quantise", "quantiseLeavingError", "dequantise", "dequantiseAndAdd", "select")) {
            var wrong = (CodecKernels) java.lang.reflect.Proxy.newProxyInstance(
                    CodecKernels.class.getClassLoader(),
                    new Class<?>[] {CodecKernels.class},
                    (_, called, arguments) -> {
                        if (called.getName().equals(method)) {
                            return called.getReturnType() == int.class
                                    ? (Object) 0
                                    : called.getReturnType() == long.class ? (Object) CodecKernels.NONE : null;
                        }
                        return called.invoke(new PortableCodecKernels(), arguments);
                    });
            assertTrue(new CodecSelfTest(wrong).firstDifference().isPresent(), method);
        }
    }
}
