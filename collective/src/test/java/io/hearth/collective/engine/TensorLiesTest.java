package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.engine.LyingStreams.Said;
import io.hearth.collective.exchange.Wire;
import io.hearth.collective.sum.compressed.EncodedParts;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.block.LevelCodec;
import io.hearth.compression.sparse.ChunkedTopKCodec;
import io.hearth.compression.sparse.TopKCodec;
import io.hearth.identity.NodeId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A member with valid keys sends records that its plan does not contain. They are rejected before any byte is written. */
final class TensorLiesTest {
    private static final CodecKernels KERNELS = Engines.best().codecKernels();
    private static final int WORLD = 3;
    private static final int COUNT = 700;
    private static final int SEGMENT_BYTES = 64 * 1024;

    /** Lies about one record. */
    enum Lie {
        CHUNK_BEYOND,
        OTHER_CHUNK,
        SHORTER,
        LONGER,
        AS_LONG_AS_CAN_BE,
        EMPTY,
        OVERLAPPING,
        BEHIND,
        NEGATIVE,
        FAR,
        TWICE,
        OTHER_NUMBER,
        FORMER_NUMBER,
        CALL_AGAIN,
        NO_REFUSAL,
        UNKNOWN_KIND;

        private List<Said> instead(Said record) {
            byte[] bytes = record.bytes();
            return switch (this) {
                case CHUNK_BEYOND -> List.of(record.ofChunk(60_000));
                case OTHER_CHUNK -> List.of(record.ofChunk(record.chunk() + 1));
                case SHORTER -> List.of(record.with(Arrays.copyOf(bytes, bytes.length - 4)));
                case LONGER -> List.of(record.with(Arrays.copyOf(bytes, bytes.length + 4)));
                case AS_LONG_AS_CAN_BE -> List.of(record.with(Arrays.copyOf(bytes, 256 * 1024)));
                case EMPTY -> List.of(record.with(new byte[0]));
                case OVERLAPPING -> List.of(record.at(record.offset() - 4));
                case BEHIND -> List.of(record.at(record.offset() + 4L * COUNT));
                case NEGATIVE -> List.of(record.at(-8));
                case FAR -> List.of(record.at(Long.MAX_VALUE - 7));
                case TWICE -> List.of(record, record);
                case OTHER_NUMBER -> List.of(record.ofNumber(record.number() + 1));
                case FORMER_NUMBER -> List.of(record.ofNumber(record.number() - 1));
                case CALL_AGAIN -> List.of(record.of(Wire.CALL));
                case NO_REFUSAL -> List.of(record.of(Wire.REFUSED));
                case UNKNOWN_KIND -> List.of(record.of(255));
            };
        }
    }

    /** Each lie in one way of summing, and each way with at least one lie, for the fast tests. */
    static Stream<Arguments> eachLieOnce() {
        return lies(true);
    }

    static Stream<Arguments> allOtherLies() {
        return lies(false);
    }

    private static Stream<Arguments> lies(boolean inFastRing) {
        LiedTo.Way[] ways = LiedTo.Way.values();
        Lie[] lies = Lie.values();
        return IntStream.range(0, ways.length * lies.length)
                .filter(i -> (i / ways.length % ways.length == i % ways.length) == inFastRing)
                .mapToObj(i -> Arguments.of(ways[i % ways.length], lies[i / ways.length]));
    }

    /** Lies about the first segment with bytes, the second, and so on. */
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("eachLieOnce")
    void noWayOfSummingTakesASegmentThatIsNotDue(LiedTo.Way way, Lie lie) throws Exception {
        int at = 0;
        for (boolean isTold = true; isTold && at < 6; at++) {
            int target = at;
            var seen = new AtomicInteger();
            LyingStreams.Lie once = record ->
                    record.kind() == Wire.SEGMENT && record.bytes().length > 0 && seen.getAndIncrement() == target
                            ? lie.instead(record)
                            : List.of(record);
            LiedTo played = LiedTo.play(
                    WORLD,
                    way.options(at % 2 == 0 ? 0 : CollectiveConfig.IN_TURN_BYTES_MAX),
                    COUNT,
                    once,
                    way + " " + lie + " at segment " + at);
            isTold = seen.get() > target;
            if (isTold) {
                assertTrue(played.errors().isEmpty(), () -> "the rest goes on: " + played.errors());
                assertTrue(!played.broken().isEmpty() || lie == Lie.TWICE, "it was refused");
            }
        }
        assertTrue(at > 1, "nothing was said that could be changed");
    }

    @Tag("full")
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("allOtherLies")
    void noWayOfSummingTakesAnyOfThem(LiedTo.Way way, Lie lie) throws Exception {
        noWayOfSummingTakesASegmentThatIsNotDue(way, lie);
    }

    /** The signature before the bytes is checked too. */
    @ParameterizedTest
    @EnumSource(LiedTo.Way.class)
    void aFirstRecordThatIsNotWholeIsRefused(LiedTo.Way way) throws Exception {
        for (int length : new int[] {0, 1, 2, 20, 60}) {
            LyingStreams.Lie lie = record -> record.kind() == Wire.CALL
                    ? List.of(record.with(Arrays.copyOf(record.bytes(), Math.min(length, record.bytes().length))))
                    : List.of(record);
            LiedTo played = LiedTo.play(WORLD, way.options(0), COUNT, lie, way + " call of " + length);
            assertTrue(played.errors().isEmpty(), () -> "the rest goes on: " + played.errors());
        }
    }

    /** The same through real, encrypted streams, whose keys the liar has. */
    @ParameterizedTest
    @EnumSource(names = {"RING", "QUANTISED"})
    void keysThatAreGoodMakeNoLieTrue(LiedTo.Way way) throws Exception {
        for (Lie lie : List.of(Lie.CHUNK_BEYOND, Lie.LONGER, Lie.OVERLAPPING, Lie.TWICE)) {
            var seen = new AtomicInteger();
            LyingStreams.Lie once = record ->
                    record.bytes().length > 0 && seen.getAndIncrement() == 1 ? lie.instead(record) : List.of(record);
            try (var linked = LinkedNodes.open(WORLD)) {
                List<NodeId> nodes = List.copyOf(linked.streams().keySet());
                LiedTo played =
                        LiedTo.play(nodes, linked::of, way.options(0), COUNT, once, way + " " + lie + " over links");
                assertTrue(played.errors().isEmpty(), () -> "the rest goes on: " + played.errors());
                assertTrue(!played.broken().isEmpty() || lie == Lie.TWICE, "it was seen");
            }
        }
    }

    @Tag("full")
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"RING", "QUANTISED"})
    void keysThatAreGoodMakeNoLieTrueInOtherWays(LiedTo.Way way) throws Exception {
        keysThatAreGoodMakeNoLieTrue(way);
    }

    /** An invalid encoding, and the error of honest ranks; {@code header} is the length of the part before its body. */
    record Forgery(String name, Codec codec, Consumer<ByteBuffer> change, String told) {
        @Override
        public String toString() {
            return codec.name() + " " + name;
        }
    }

    static Stream<Forgery> forgeries() {
        var topk = new TopKCodec(0.1, false, KERNELS);
        var chunks = new ChunkedTopKCodec(0.1, 64, 16, KERNELS); // 6 values per chunk, in 21 bytes
        var int8 = new LevelCodec(8, 64, false, KERNELS);
        int body = 16;
        int chunk = body + Integer.BYTES;
        int kept = body + Long.BYTES + Short.BYTES;
        int gaps = kept + COUNT / 10 * Short.BYTES;
        return Stream.of(
                new Forgery("another codec", topk, bytes -> bytes.put(0, (byte) 2), "not an encoding of codec 3"),
                new Forgery("more values", topk, bytes -> bytes.putLong(8, COUNT + 1), "an encoding of 701 values"),
                new Forgery("negative count", topk, bytes -> bytes.putLong(8, -1), "an encoding of -1 values"),
                new Forgery("NaN", topk, bytes -> bytes.putShort(kept, (short) 0x7e00), "kept value 0 is NaN"),
                new Forgery("infinity", topk, bytes -> bytes.putShort(kept + 2, (short) 0xfc00), "kept value 1"),
                new Forgery("exponent", topk, bytes -> bytes.putShort(kept - 2, (short) -200), "the exponent -200"),
                new Forgery("other largest", topk, bytes -> fill(bytes, kept, gaps, (byte) 0), "fit their exponent"),
                new Forgery("bits of a value", topk, bytes -> bytes.put(4, (byte) 32), "does not fit"),
                new Forgery("bits of a gap", topk, bytes -> bytes.put(5, (byte) 7), "have the parameter"),
                new Forgery("keeps more than there are", topk, bytes -> bytes.putLong(body, COUNT + 1), "does not fit"),
                new Forgery("keeps less than none", topk, bytes -> bytes.putLong(body, -1), "does not fit"),
                new Forgery("gap that never ends", topk, bytes -> fill(bytes, gaps, (byte) 0), "has no end"),
                new Forgery("gaps that end early", topk, bytes -> fill(bytes, gaps, (byte) -1), "after the last gap"),
                new Forgery(
                        "index beyond the end",
                        topk,
                        bytes -> bytes.putLong(gaps, 0).putLong(gaps + 8, 0).putLong(gaps + 16, 1L << 62),
                        "beyond value 700"),
                new Forgery("other bits", chunks, bytes -> bytes.put(4, (byte) 4), "the size does not fit"),
                new Forgery("chunks without end", chunks, bytes -> bytes.put(5, (byte) 31), "no chunks of 2^31"),
                new Forgery("keeps more than a chunk", chunks, bytes -> bytes.putInt(body, 65), "65 of each 64"),
                new Forgery(
                        "NaN magnitudes", chunks, bytes -> bytes.putShort(chunk + 2, (short) 0x7f81), "chunk 0 has"),
                new Forgery(
                        "least above largest",
                        chunks,
                        bytes -> bytes.putShort(chunk + 21, (short) 0x7f80),
                        "chunk 1 has"),
                new Forgery(
                        "falling indices", chunks, bytes -> bytes.put(chunk + 4, (byte) 63), "chunk 0 of 64 values"),
                new Forgery("bits behind the end", chunks, bytes -> bytes.put(chunk + 20, (byte) -1), "with zero bits"),
                new Forgery("NaN scale", int8, bytes -> bytes.putFloat(body, Float.NaN), "has the scale NaN"),
                new Forgery(
                        "negative scale", int8, bytes -> bytes.putFloat(body + 68, -1), "at value 64 has the scale"),
                new Forgery(
                        "infinite scale",
                        int8,
                        bytes -> bytes.putFloat(body, Float.POSITIVE_INFINITY),
                        "has the scale"),
                new Forgery(
                        "level -128", int8, bytes -> bytes.put(body + 4, (byte) -128), "levels that no encoder writes"),
                new Forgery("other block size", int8, bytes -> bytes.putInt(4, 128), "not an encoding of codec 2"),
                new Forgery("other count", int8, bytes -> bytes.putLong(8, COUNT - 1), "an encoding of 699 values"));
    }

    private static void fill(ByteBuffer bytes, int from, byte with) {
        fill(bytes, from, bytes.capacity(), with);
    }

    private static void fill(ByteBuffer bytes, int from, int to, byte with) {
        for (int at = from; at < to; at++) {
            bytes.put(at, with);
        }
    }

    private static EngineOptions encoded(Codec codec) {
        return EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .with(CollectiveConfig.DEFAULTS.cut(SEGMENT_BYTES, 0))
                .as(new CompressionStrategy.Custom(codec));
    }

    /** Changes rank 1's own encoding in the first call: the {@code round}-th record of its slot. */
    private static LyingStreams.Lie own(int round, UnaryOperator<byte[]> change) {
        var seen = new AtomicInteger();
        return record -> {
            boolean isOwn = record.number() == 1
                    && record.kind() != Wire.REFUSED
                    && record.chunk() == LiedTo.LIAR
                    && record.bytes().length > 0;
            return isOwn && seen.getAndIncrement() == round
                    ? List.of(record.with(change.apply(record.bytes())))
                    : List.of(record);
        };
    }

    /** Changes rank 1's encoding for the owner of a part, at the end of its first record with bytes. */
    private static LyingStreams.Lie operation(BlockCodec codec, UnaryOperator<byte[]> change) {
        int slot = EncodedParts.of(codec, COUNT, WORLD, SEGMENT_BYTES).slotBytes();
        var seen = new AtomicInteger();
        return record -> {
            boolean isContribution = record.number() == 1 && record.bytes().length >= slot;
            return isContribution && seen.getAndIncrement() == 0
                    ? List.of(record.with(atEnd(record.bytes(), slot, change)))
                    : List.of(record);
        };
    }

    private static byte[] atEnd(byte[] bytes, int length, UnaryOperator<byte[]> change) {
        int from = bytes.length - length;
        System.arraycopy(change.apply(Arrays.copyOfRange(bytes, from, bytes.length)), 0, bytes, from, length);
        return bytes;
    }

    private static LyingStreams.Lie told(Codec codec, UnaryOperator<byte[]> change) {
        if (codec instanceof BlockCodec blocks) {
            return operation(blocks, change);
        }
        if (codec.fixedRate()) { // no lengths are exchanged first, so the call's terms precede the encoding
            return own(0, bytes -> atEnd(bytes, Math.toIntExact(codec.encodedBytesMax(COUNT)), change));
        }
        return own(1, change);
    }

    /** Other ranks may have taken a valid result and returned, so the error ends the stream, not the call. */
    @Test
    void aResultThatIsNoEncodingIsTheEndOfItsStream() throws Exception {
        var owners = new LevelCodec(8, 8, false, KERNELS); // small blocks: rank 1 owns a part
        int slot = EncodedParts.of(owners, 5000, WORLD, 512).slotBytes();
        var seen = new AtomicInteger();
        LyingStreams.Lie lie = record -> {
            boolean isResult = record.number() == 1
                    && record.kind() == Wire.SEGMENT
                    && record.chunk() == LiedTo.LIAR
                    && record.bytes().length == slot;
            if (!isResult || seen.getAndIncrement() > 0) {
                return List.of(record);
            }
            return List.of(record.with(new byte[slot]));
        };
        LiedTo played = LiedTo.play(WORLD, LiedTo.Way.QUANTISED.options(0), 5000, lie, "a result of zeros");
        assertEquals(Map.of(), played.errors(), "the honest ones have their sums");
        assertFalse(played.broken().isEmpty(), "it was seen");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forgeries")
    void anEncodingThatIsNoneIsToldToTheScriptAndNothingIsAdded(Forgery forgery) throws Exception {
        LiedTo played = LiedTo.play(
                WORLD,
                encoded(forgery.codec),
                COUNT,
                told(forgery.codec, bytes -> {
                    forgery.change.accept(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
                    return bytes;
                }),
                forgery.toString());
        assertEquals(Set.of(0, 2), new TreeSet<>(played.errors().keySet()), "all honest ranks alike");
        for (Throwable error : played.errors().values()) {
            String text = String.valueOf(error.getMessage());
            assertTrue(text.contains("rank 1 (") && text.contains(forgery.told), text);
        }
    }

    static Stream<Arguments> lengths() {
        var codec = new TopKCodec(0.1, false, KERNELS);
        return Stream.of(-1L, 0L, 1L, 15L, 16L, codec.encodedBytesMax(COUNT) + 1, Long.MAX_VALUE, Long.MIN_VALUE)
                .map(bytes -> Arguments.of(codec, bytes));
    }

    /** Too many kept values, no block, too many blocks: all are invalid lengths. */
    @ParameterizedTest(name = "{1} bytes")
    @MethodSource("lengths")
    void aLengthThatNoEncodingHasIsRefused(Codec codec, long bytes) throws Exception {
        LiedTo played = LiedTo.play(
                WORLD,
                encoded(codec),
                COUNT,
                own(0, record -> {
                    ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).putLong(record.length - 8, bytes);
                    return record;
                }),
                codec.name() + " of " + bytes);
        assertTrue(!played.errors().isEmpty() || !played.broken().isEmpty(), "at least one rank must have seen it");
    }
}
