package io.hearth.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.hearth.core.BoundedDecoder.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BoundedDecoderTest {
    private static final Limits LIMITS = new Limits(64 * 1024, 7, 1024, 256);

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
        refused(new byte[64 * 1024 + 1], "larger than");
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

    /** Whatever the bytes: a message or a typed refusal, never anything else. */
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
