package io.hearth.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import com.sun.management.ThreadMXBean;
import io.hearth.core.BoundedDecoder.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class BoundedDecoderTest {
    private static final Limits LIMITS = new Limits(64 * 1024, 7, 1024, 256);
    private static final long FRAME_MEMORY_MAX = 4 << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aMessageWithinTheLimitsArrivesWhole() throws MalformedMessageException {
        Struct sent = Struct.newBuilder()
                .putFields("name", Value.newBuilder().setStringValue("kitchen").build())
                .putFields("size", Value.newBuilder().setNumberValue(4).build())
                .build();
        assertEquals(sent, parse(sent.toByteArray()));
    }

    @Test
    void aLargerFrameIsRefusedUnread() {
        refused(new byte[64 * 1024 + 1], "at most 65536 are allowed");
    }

    @Test
    void nestingIsBounded() {
        Value deep = Value.newBuilder().setNumberValue(1).build();
        for (int i = 0; i < 10; i++) {
            deep = Value.newBuilder()
                    .setListValue(ListValue.newBuilder().addValues(deep))
                    .build();
        }
        refused(Struct.newBuilder().putFields("a", deep).build().toByteArray(), "nested deeper");
    }

    @Test
    void repeatsAreCountedBeforeAnythingIsBuilt() {
        var list = ListValue.newBuilder();
        for (int i = 0; i <= 1024; i++) {
            list.addValues(Value.getDefaultInstance());
        }
        refused(
                Struct.newBuilder()
                        .putFields("a", Value.newBuilder().setListValue(list).build())
                        .build()
                        .toByteArray(),
                "repeats more than 1024");
    }

    @Test
    void textIsBounded() {
        Value text = Value.newBuilder().setStringValue("x".repeat(257)).build();
        refused(Struct.newBuilder().putFields("a", text).build().toByteArray(), "257 bytes of text");
    }

    @Test
    void aLengthThatLiesIsRefused() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = CodedOutputStream.newInstance(bytes);
        out.writeTag(1, com.google.protobuf.WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(Integer.MAX_VALUE);
        out.flush();
        refused(bytes.toByteArray(), "not well formed");
    }

    @Test
    void groupsAreRefused() {
        refused(new byte[] {(1 << 3) | 3, (1 << 3) | 4}, "group");
    }

    /** Attack 25: no peer can make a node keep fields that it does not know. */
    @Test
    void whatIsUnknownIsNotKept() throws Exception {
        Value number = Value.newBuilder().setNumberValue(4).build();
        Struct known = Struct.newBuilder().putFields("size", number).build();
        UnknownFieldSet unknown = UnknownFieldSet.newBuilder()
                .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .addField(
                        2_000,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("kept for ever"))
                                .build())
                .build();
        Struct sent = Struct.newBuilder()
                .putFields("size", number.toBuilder().setUnknownFields(unknown).build())
                .setUnknownFields(unknown)
                .build();
        assertTrue(sent.getSerializedSize() > known.getSerializedSize());
        assertEquals(known, parse(sent.toByteArray()));
    }

    /** Frames of 64 KiB of many small fields, all unknown; of known fields there are at most 1,024. */
    static Stream<Arguments> fullFrames() {
        return Stream.of(
                Arguments.of("unknown empty messages", filled(() -> new byte[] {9 << 3 | 2, 0})),
                Arguments.of("unknown numbers", filled(() -> new byte[] {9 << 3, 1})),
                Arguments.of("unknown large numbers", filled(() -> new byte[] {9 << 3, -1, -1, -1, 1})),
                Arguments.of("unknown fixed numbers", filled(() -> new byte[] {9 << 3 | 5, 1, 2, 3, 4})),
                Arguments.of("unknown fields, each another", filled(new Rising())));
    }

    /** Gives the tag of a field number that no field before had. */
    private static final class Rising implements Supplier<byte[]> {
        private int number = 16;

        @Override
        public byte[] get() {
            int tag = number++ << 3;
            return tag < 1 << 14
                    ? new byte[] {(byte) (tag | 0x80), (byte) (tag >> 7), 1}
                    : new byte[] {(byte) (tag | 0x80), (byte) (tag >> 7 | 0x80), (byte) (tag >> 14), 1};
        }
    }

    private static byte[] filled(Supplier<byte[]> pieces) {
        var frame = new ByteArrayOutputStream();
        for (byte[] piece = pieces.get(); frame.size() + piece.length <= LIMITS.frameBytesMax(); piece = pieces.get()) {
            frame.writeBytes(piece);
        }
        return frame.toByteArray();
    }

    /** Attack 25: bounds all memory allocated for a frame, which is more than the memory that stays alive. */
    @ParameterizedTest
    @MethodSource("fullFrames")
    void noFrameTakesMoreThanFourMegabytes(String what, byte[] frame) throws MalformedMessageException {
        assertTrue(frame.length > 60_000 && frame.length <= LIMITS.frameBytesMax(), frame.length + " bytes");
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) { // the first pass loads classes
            long before = THREADS.getCurrentThreadAllocatedBytes();
            parse(frame);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least <= FRAME_MEMORY_MAX, what + ": " + least + " bytes");
    }

    /** For any bytes, the decoder gives a message or throws MalformedMessageException. */
    @Test
    void mutatedFramesNeverEscape() {
        byte[] good = Struct.newBuilder()
                .putFields(
                        "a",
                        Value.newBuilder()
                                .setListValue(ListValue.newBuilder()
                                        .addValues(Value.newBuilder().setStringValue("b")))
                                .build())
                .putFields("c", Value.newBuilder().setNumberValue(Double.NaN).build())
                .build()
                .toByteArray();
        var random = new SplittableRandom(11);
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = ByteString.copyFrom(good).toByteArray();
            for (int flips = random.nextInt(1, 6); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                parse(bytes);
            } catch (MalformedMessageException expected) {
                refused++;
            }
        }
        assertTrue(refused > 1_000, "only " + refused + " of 100000 mutations were refused");
    }

    private static Struct parse(byte[] bytes) throws MalformedMessageException {
        return BoundedDecoder.parse(Struct.parser(), Struct.getDescriptor(), bytes, LIMITS);
    }

    private static void refused(byte[] bytes, String why) {
        String message = assertThrows(MalformedMessageException.class, () -> parse(bytes))
                .toString();
        assertTrue(message.contains(why), message);
    }
}
