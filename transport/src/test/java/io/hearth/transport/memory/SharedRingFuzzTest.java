package io.hearth.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.memory.SharedRing.CorruptException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Another process may write anything into the memory that both map. */
final class SharedRingFuzzTest {
    private static final long SEED = Long.getLong("hearth.seed", 29);
    private static final int WORLDS = 20_000;
    private static final long WRITTEN = 0;
    private static final long READ = 256;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory =
            arena.allocate((long) SharedRing.CONTROL_BYTES + SharedRing.CAPACITY_MIN, 4096);
    private final MemorySegment bytes = arena.allocate(RecordHeader.RECORD_BYTES_MAX);
    private final ReceivedRecord record = new ReceivedRecord();

    @AfterEach
    void free() {
        arena.close();
    }

    private static void write(SharedRing writer, MemorySegment bytes, int length) {
        writer.write(length, RecordHeader.USER_MIN, 1, 2, 3, MemorySegment.NULL, bytes, 0);
    }

    /** A number that is likely to break the reader. */
    private static long evil(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt();
            case 2 -> -1L - random.nextInt(100);
            case 3 -> random.nextInt(1 << 21) & -64L;
            case 4 -> Integer.MAX_VALUE - random.nextInt(100);
            default -> random.nextInt(600_000);
        };
    }

    @Test
    void whateverIsScribbledTheReaderStaysInTheRingAndComesToAnEnd() {
        var random = new SplittableRandom(SEED);
        int refused = 0;
        int shown = 0;
        for (int world = 0; world < WORLDS; world++) {
            memory.asSlice(0, SharedRing.CONTROL_BYTES).fill((byte) 0); // the ring keeps its old bytes
            var writer = new SharedRing(memory);
            var reader = new SharedRing(memory);
            try {
                for (int i = random.nextInt(1, 12); i > 0; i--) {
                    int length = random.nextInt(3) == 0 ? random.nextInt(200_000) : random.nextInt(300);
                    if (writer.hasRoom(length)) {
                        write(writer, bytes, length);
                    }
                }
                for (int i = random.nextInt(4); i > 0; i--) {
                    scribble(random);
                }
                int most = SharedRing.CAPACITY_MIN / 64;
                while (reader.read(record)) {
                    assertTrue(most-- > 0, "it goes on for ever, seed " + SEED + " world " + world);
                    assertTrue(record.length() >= 0 && record.length() <= RecordHeader.RECORD_BYTES_MAX);
                    long end = record.memoryOffset() + record.length();
                    assertTrue(
                            record.memoryOffset() >= SharedRing.CONTROL_BYTES && end <= memory.byteSize(),
                            "outside, seed " + SEED + " world " + world);
                    shown++;
                    reader.release();
                    if (random.nextInt(8) == 0) {
                        scribble(random);
                    }
                }
                writer.hasRoom(random.nextInt(RecordHeader.RECORD_BYTES_MAX));
            } catch (CorruptException nonsense) {
                refused++;
            } catch (RuntimeException escaped) {
                throw new AssertionError("seed " + SEED + " world " + world, escaped);
            }
        }
        assertTrue(refused > WORLDS / 10 && shown > WORLDS, refused + " refused, " + shown + " shown: a tame fuzzer");
    }

    private void scribble(SplittableRandom random) {
        switch (random.nextInt(5)) {
            case 0 -> memory.set(LONG, WRITTEN, evil(random));
            case 1 -> memory.set(LONG, READ, evil(random));
            case 2 -> memory.set(LONG, random.nextInt(64) * 8L, evil(random));
            default -> {
                long head = SharedRing.CONTROL_BYTES + random.nextInt(40) * 64L;
                memory.set(INT, head + 4L * random.nextInt(4), (int) evil(random));
            }
        }
    }

    private void refusedWith(int length, int kind, int chunk) throws CorruptException {
        memory.asSlice(0, SharedRing.CONTROL_BYTES).fill((byte) 0);
        write(new SharedRing(memory), bytes, 100);
        long head = SharedRing.CONTROL_BYTES;
        memory.set(INT, head, length);
        memory.set(INT, head + 4, kind);
        memory.set(INT, head + 8, chunk);
        assertThrows(CorruptException.class, () -> new SharedRing(memory).read(record));
    }

    @Test
    void aHeaderThatIsNoneIsRefused() throws CorruptException {
        refusedWith(-1, 16, 0);
        refusedWith(RecordHeader.RECORD_BYTES_MAX + 1, 16, 0);
        refusedWith(129, 16, 0); // more than was published
        refusedWith(100, -2, 0);
        refusedWith(100, 256, 0);
        refusedWith(100, 16, -1);
        refusedWith(100, 16, 1 << 16);
        refusedWith(0, -1, 0); // a filler where a record would have fitted
    }

    @Test
    void anIndexThatRunsAwayOrBackIsRefused() throws CorruptException {
        for (long written : new long[] {-64, 63, SharedRing.CAPACITY_MIN + 64L, Long.MAX_VALUE, Long.MIN_VALUE}) {
            memory.set(LONG, WRITTEN, written);
            assertThrows(CorruptException.class, () -> new SharedRing(memory).read(record), "written " + written);
        }
        memory.fill((byte) 0);
        for (long read : new long[] {-1, Long.MIN_VALUE, SharedRing.CAPACITY_MIN}) {
            var writer = new SharedRing(memory);
            while (writer.hasRoom(200_000)) {
                write(writer, bytes, 200_000);
            }
            memory.set(LONG, READ, read);
            assertThrows(CorruptException.class, () -> writer.hasRoom(200_000), "read " + read);
            memory.fill((byte) 0);
        }
    }

    @Test
    void recordsGoRoundTheRingWholeAndTheLastWordAlwaysFits() throws CorruptException {
        var random = new SplittableRandom(SEED);
        var writer = new SharedRing(memory);
        var reader = new SharedRing(memory);
        long sent = 0;
        long taken = 0;
        while (taken < 5_000) {
            int length = random.nextInt(RecordHeader.RECORD_BYTES_MAX + 1);
            if (writer.hasRoom(length) && random.nextInt(3) > 0) {
                bytes.set(LONG, 0, sent);
                writer.write(length, 17, 0, sent, length, MemorySegment.NULL, bytes, 0);
                sent++;
            } else if (reader.read(record)) {
                assertEquals(taken, record.collective());
                assertEquals(record.length(), record.offset());
                if (record.length() >= Long.BYTES) {
                    assertEquals(taken, record.memory().get(LONG, record.memoryOffset()));
                }
                taken++;
                reader.release();
            }
        }
        while (writer.hasRoom(0)) {
            writer.write(0, 17, 0, sent++, 0, MemorySegment.NULL, bytes, 0);
        }
        writer.writeLast(RecordHeader.END);
        while (reader.read(record) && record.kind() != RecordHeader.END) {
            assertEquals(taken++, record.collective());
            reader.release();
        }
        assertEquals(sent, taken);
        assertEquals(RecordHeader.END, record.kind());
    }
}
