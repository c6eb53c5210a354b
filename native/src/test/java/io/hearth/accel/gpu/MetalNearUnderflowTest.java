package io.hearth.accel.gpu;

import io.hearth.accel.Elements;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.ScalarOracle;
import io.hearth.accel.Trial;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operands whose results are just subnormal, just normal, or almost cancel: where a GPU that flushes subnormals needs another way. */
final class MetalNearUnderflowTest {
    private static final int COUNT = 1_000_003;

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void givesTheBitsOfIeee754(int flush) {
        FakeMetal fake = FakeMetal.get();
        fake.set("flush", flush);
        var limits = new MetalLimits(1, 4 * COUNT, Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), limits);
                var arena = Arena.ofConfined()) {
            var reducer = new MetalReducer(
                    engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
            MemorySegment left = arena.allocate(4L * COUNT, 4);
            MemorySegment right = arena.allocate(4L * COUNT, 4);
            MemorySegment target = arena.allocate(4L * COUNT, 4);
            var random = new SplittableRandom(22);
            var trial = new Trial(reducer, random, DataType.FLOAT32);
            for (int i = 0; i < COUNT; i++) {
                int a = number(random, random.nextInt(0, 50));
                int near = Math.max(0, (a >>> 23 & 255) + random.nextInt(-3, 4));
                Elements.set(left, DataType.FLOAT32, 4L * i, a);
                Elements.set(
                        right,
                        DataType.FLOAT32,
                        4L * i,
                        random.nextBoolean() ? number(random, near) : a ^ Integer.MIN_VALUE ^ random.nextInt(2));
            }
            judge(trial, ReduceOp.SUM, target, left, right);
            for (int i = 0; i < COUNT; i++) {
                int exponent = random.nextInt(0, 151);
                int other = Math.clamp(random.nextInt(95, 136) - exponent, 0, 254);
                Elements.set(left, DataType.FLOAT32, 4L * i, number(random, exponent));
                Elements.set(right, DataType.FLOAT32, 4L * i, number(random, other));
            }
            judge(trial, ReduceOp.PROD, target, left, right);
        }
        fake.assertObeyed();
    }

    private static int number(SplittableRandom random, int exponent) {
        int mantissa = switch (random.nextInt(4)) {
            case 0 -> random.nextInt(4);
            case 1 -> 0x7f_ffff - random.nextInt(4);
            default -> random.nextInt(0x80_0000);
        };
        return exponent << 23 | mantissa | (random.nextBoolean() ? Integer.MIN_VALUE : 0);
    }

    private static void judge(Trial trial, ReduceOp op, MemorySegment target, MemorySegment left, MemorySegment right) {
        trial.reducer().combine(DataType.FLOAT32, op, target, 0, left, 0, right, 0, COUNT);
        for (int i = 0; i < COUNT; i++) {
            long one = Elements.get(left, DataType.FLOAT32, 4L * i);
            long other = Elements.get(right, DataType.FLOAT32, 4L * i);
            trial.judge(
                    op.toString(), i, COUNT, ScalarOracle.combine(DataType.FLOAT32, op, one, other), target, 4L * i);
        }
    }
}
