package io.hearth.core;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Arrays;

/**
 * Parses a control message from a peer after it checked that the wire bytes are within bounds.
 *
 * <p>A parsed protobuf message can be many times larger than its bytes (64 KiB of empty sub-messages become megabytes). So the decoder
 * first walks the bytes along the message's descriptor, without building anything. It checks the size of the frame, nesting, repeats of
 * each field and length of each text. Only then the generated parser runs. Both skip unknown fields, because 64 KiB of them would become 6
 * MB.
 */
public final class BoundedDecoder {
    /**
     * Upper bounds of a control message.
     *
     * @param frameBytesMax size of the whole message in bytes
     * @param nestingMax depth of messages inside messages; the message itself is depth 1
     * @param repeatsMax entries of any one repeated field of one message
     * @param textBytesMax UTF-8 bytes of any one string
     */
    public record Limits(int frameBytesMax, int nestingMax, int repeatsMax, int textBytesMax) {
        /** The limits of every control link. */
        public static final Limits CONTROL = new Limits(64 * 1024, 4, 1024, 256);

        public Limits {
            if (frameBytesMax < 1 || nestingMax < 1 || repeatsMax < 1 || textBytesMax < 1) {
                throw new IllegalArgumentException("every limit must be at least 1, got frame " + frameBytesMax
                        + ", nesting " + nestingMax + ", repeats " + repeatsMax + ", text " + textBytesMax);
            }
        }
    }

    private BoundedDecoder() {}

    /**
     * Parses {@code bytes} within {@link Limits#CONTROL}.
     *
     * @throws MalformedMessageException if the bytes are not such a message or exceed a limit; the message names it
     */
    public static <M extends Message> M parse(Parser<M> parser, Descriptor descriptor, byte[] bytes)
            throws MalformedMessageException {
        return parse(parser, descriptor, bytes, Limits.CONTROL);
    }

    /** As {@link #parse(Parser, Descriptor, byte[])}, within other limits. */
    public static <M extends Message> M parse(Parser<M> parser, Descriptor descriptor, byte[] bytes, Limits limits)
            throws MalformedMessageException {
        if (bytes.length > limits.frameBytesMax()) {
            throw new MalformedMessageException(descriptor.getName() + " of " + bytes.length + " bytes: at most "
                    + limits.frameBytesMax() + " are allowed");
        }
        try {
            walk(CodedInputStream.newInstance(bytes), descriptor, 1, limits);
            return DiscardUnknownFieldsParser.wrap(parser).parseFrom(bytes);
        } catch (InvalidProtocolBufferException broken) {
            throw new MalformedMessageException(
                    descriptor.getName() + " is not well formed: " + broken.getMessage(), broken);
        } catch (IOException impossible) {
            throw new AssertionError("reading an array cannot fail", impossible);
        }
    }

    private static void walk(CodedInputStream in, Descriptor descriptor, int depth, Limits limits)
            throws IOException, MalformedMessageException {
        if (depth > limits.nestingMax()) {
            throw new MalformedMessageException(
                    descriptor.getName() + " is nested deeper than the " + limits.nestingMax() + " levels allowed");
        }
        int[] repeats = new int[descriptor.getFields().size()];
        while (true) {
            int tag = in.readTag();
            if (tag == 0) {
                return;
            }
            if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_START_GROUP
                    || WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_END_GROUP) {
                throw new MalformedMessageException(descriptor.getName() + " holds a group, which Hearth never sends");
            }
            FieldDescriptor field = descriptor.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
            if (field == null || WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                count(descriptor, field, repeats, 1, limits);
                in.skipField(tag);
                continue;
            }
            int length = in.readRawVarint32();
            int outer = in.pushLimit(length);
            switch (field.getJavaType()) {
                case MESSAGE -> {
                    count(descriptor, field, repeats, 1, limits);
                    walk(in, field.getMessageType(), depth + 1, limits);
                }
                case STRING -> {
                    count(descriptor, field, repeats, 1, limits);
                    if (length > limits.textBytesMax()) {
                        throw new MalformedMessageException("field " + field.getName() + " of " + descriptor.getName()
                                + " has " + length + " bytes of text, " + limits.textBytesMax() + " are allowed");
                    }
                    in.skipRawBytes(length);
                }
                case BYTE_STRING -> {
                    count(descriptor, field, repeats, 1, limits);
                    in.skipRawBytes(length);
                }
                default -> { // packed numbers: no entry is smaller than a byte
                    count(descriptor, field, repeats, length, limits);
                    in.skipRawBytes(length);
                }
            }
            in.popLimit(outer);
        }
    }

    private static void count(
            Descriptor descriptor,
            @org.jspecify.annotations.Nullable FieldDescriptor field,
            int[] repeats,
            int more,
            Limits limits)
            throws MalformedMessageException {
        if (field == null || !field.isRepeated()) {
            return;
        }
        repeats[field.getIndex()] += more;
        if (repeats[field.getIndex()] > limits.repeatsMax()) {
            throw new MalformedMessageException("field " + field.getName() + " of " + descriptor.getName()
                    + " repeats more than " + limits.repeatsMax() + " times: "
                    + Arrays.stream(repeats).sum());
        }
    }
}
