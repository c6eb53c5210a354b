package io.hearth.collective.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hearth.accel.select.Engines;
import io.hearth.collective.Signature;
import io.hearth.collective.schedule.Schedule;
import io.hearth.collective.schedule.Transfer;
import io.hearth.collective.schedule.WholeExchange;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.transport.ReceivedRecord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A segment's bytes in an array and in native memory give the same result. */
final class CombinerTest {
    private static final int WORLD = 4;
    private static final int COUNT = 1021;
    private static final int PREFIX = 24;
    private static final int QUIET_NAN = 0x7fc00000;

    @ParameterizedTest
    @EnumSource(
            value = ReduceOp.class,
            names = {"SUM", "PROD", "MIN", "MAX"})
    void wherePlaintextLiesMakesNoDifference(ReduceOp op) {
        for (int position = 0; position < WORLD; position++) {
            assertArrayEquals(played(op, position, false), played(op, position, true), op + " at " + position);
        }
    }

    /** The resulting bits of a whole exchange at that position, which uses each action that adds by positions. */
    private static int[] played(ReduceOp op, int position, boolean inNativeMemory) {
        var random = new Random(17);
        Signature signature = Signature.allReduce(op, DataType.FLOAT32, COUNT, Signature.PLAIN);
        var combiner = new Combiner(Engines.best().newReducer(), signature, WORLD);
        Schedule schedule = new WholeExchange(position, WORLD, COUNT, Float.BYTES, 1 << 20);
        try (Arena arena = Arena.ofConfined()) {
            Region input = Region.of(values(arena, random));
            Region buffer = Region.of(values(arena, random));
            var transfer = new Transfer();
            for (long index = 0; index < schedule.receives(); index++) {
                schedule.receive(index, transfer);
                combiner.apply(transfer, record(values(arena, random), inNativeMemory, arena), PREFIX, input, buffer);
            }
            return Arrays.stream(buffer.memory().toArray(ValueLayout.JAVA_INT))
                    .map(bits -> Float.isNaN(Float.intBitsToFloat(bits)) ? QUIET_NAN : bits)
                    .toArray();
        }
    }

    private static ReceivedRecord record(MemorySegment values, boolean inNativeMemory, Arena arena) {
        int length = PREFIX + COUNT * Float.BYTES;
        if (inNativeMemory) {
            MemorySegment memory = arena.allocate(8 + length, 8);
            memory.asSlice(8 + PREFIX).copyFrom(values);
            return new ReceivedRecord().show(200, 0, 1, 0, memory.asReadOnly(), 8, length);
        }
        byte[] array = new byte[8 + length];
        MemorySegment.ofArray(array).asSlice(8 + PREFIX).copyFrom(values);
        return new ReceivedRecord().show(200, 0, 1, 0, array, 8, length);
    }

    /** Random values, some of them NaN; which of two NaNs an operation keeps is the compiler's choice. */
    private static MemorySegment values(Arena arena, Random random) {
        MemorySegment values = arena.allocate((long) COUNT * Float.BYTES, 64);
        for (int i = 0; i < COUNT; i++) {
            int bits = random.nextInt(4) == 0
                    ? QUIET_NAN | random.nextInt(1 << 16)
                    : Float.floatToRawIntBits((float) random.nextGaussian());
            values.setAtIndex(ValueLayout.JAVA_INT, i, bits);
        }
        return values;
    }
}
