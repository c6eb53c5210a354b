package io.hearth.bridge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Texts, numbers and buffers that the calling program passes. */
final class NativeText {
    private NativeText() {}

    /**
     * Reads a text.
     *
     * @param what it is, for the error
     * @param bytesMax with the zero byte at its end
     * @throws IllegalArgumentException if the pointer is null, or the text is longer or no UTF-8
     */
    @SuppressWarnings("restricted") // the caller's pointer has no length
    static String read(MemorySegment pointer, String what, int bytesMax) {
        if (pointer.address() == 0) {
            throw new IllegalArgumentException(what + " is a null pointer");
        }
        MemorySegment bytes = pointer.reinterpret(bytesMax);
        int length = 0;
        while (bytes.get(ValueLayout.JAVA_BYTE, length) != 0) {
            if (++length == bytesMax) {
                throw new IllegalArgumentException(what + " has more than " + (bytesMax - 1) + " bytes");
            }
        }
        ByteBuffer text = bytes.asSlice(0, length).asByteBuffer();
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
        } catch (CharacterCodingException garbled) {
            throw new IllegalArgumentException(what + " is no UTF-8", garbled);
        }
    }

    /**
     * Writes as much of a text as the caller's buffer takes; it gets no zero byte.
     *
     * @return bytes of the whole text
     */
    static long write(String text, MemorySegment pointer, long capacity) {
        return write(text.getBytes(StandardCharsets.UTF_8), pointer, capacity);
    }

    /** As {@link #write(String, MemorySegment, long)}. */
    static long write(byte[] bytes, MemorySegment pointer, long capacity) {
        int fitting = (int) Math.min(bytes.length, Math.max(0, capacity));
        MemorySegment.copy(bytes, 0, buffer(pointer, fitting), ValueLayout.JAVA_BYTE, 0, fitting);
        return bytes.length;
    }

    /**
     * A number that must fit into 32 bits.
     *
     * @param what it is, for the error
     * @throws IllegalArgumentException if it does not
     */
    static int number(long value, String what) {
        if (value != (int) value) {
            throw new IllegalArgumentException(what + " cannot be " + value);
        }
        return (int) value;
    }

    /**
     * The caller's buffer, which all threads may use.
     *
     * @throws IllegalArgumentException if it is negative in size, or a null pointer that is not empty
     */
    @SuppressWarnings("restricted") // as above
    static MemorySegment buffer(MemorySegment pointer, long bytes) {
        if (bytes < 0 || (bytes > 0 && pointer.address() == 0)) {
            throw new IllegalArgumentException(
                    "a buffer of " + bytes + " bytes cannot begin at address " + pointer.address());
        }
        return pointer.reinterpret(bytes);
    }
}
