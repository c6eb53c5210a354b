package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class StagingTest {
    private final Staging staging = new Staging(
            new Staging.Allocator() {
                @Override
                public Gpu.Buffer allocate(long bytes) {
                    return new Gpu.Buffer(0, Arena.ofAuto().allocate(bytes));
                }

                @Override
                public void release(Gpu.Buffer buffer) {}
            },
            1 << 20);

    /** An operand that begins in a shared buffer and ends after it is copied: the GPU would read beyond the buffer. */
    @Test
    void onlyWhatLiesWhollyInASharedBufferIsReadInPlace() throws MetalException {
        MemorySegment large = Arena.ofAuto().allocate(4096, 4096);
        var shared = new Gpu.Buffer(7, large.asSlice(0, 1024));
        staging.share(shared);
        assertSame(shared, staging.operand(0, large, 512, 512).buffer());
        assertSame(shared, staging.operand(0, large, 1020, 4).buffer());
        assertNotSame(shared, staging.operand(0, large, 512, 513).buffer());
        assertNotSame(shared, staging.operand(0, large, 1020, 8).buffer());
        assertNotSame(shared, staging.operand(0, large, 1024, 4).buffer());
        assertNotSame(shared, staging.operand(0, large, 510, 4).buffer(), "at no multiple of four");
    }

    /** A slot may have 16 MiB from an earlier call: clearing all of it costs more than the kernel. */
    @Test
    void onlyWhatIsAskedForIsCleared() throws MetalException {
        Gpu.Buffer large = staging.result(0, 1 << 20).buffer();
        large.contents().fill((byte) 7);
        Gpu.Buffer cleared = staging.clearedResult(0, 1000).buffer();
        assertSame(large, cleared);
        for (int i = 0; i < 2000; i++) {
            assertEquals(i < 1000 ? 0 : 7, cleared.contents().get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        }
    }
}
