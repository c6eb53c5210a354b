package io.hearth.core;

import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;

/** Immutable bytes with value equality, for records and messages; never for the data path. */
public final class Bytes {
    /** No bytes. */
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A copy of {@code bytes}. */
    public static Bytes of(byte... bytes) {
        return bytes.length == 0 ? EMPTY : new Bytes(bytes.clone());
    }

    public int size() {
        return bytes.length;
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    /** A copy. */
    public byte[] toArray() {
        return bytes.clone();
    }

    /** A copy of the bytes from {@code from} to before {@code to}. */
    public Bytes slice(int from, int to) {
        return from == to ? EMPTY : new Bytes(Arrays.copyOfRange(bytes, from, to));
    }

    /** All parts, one after the other. */
    public static Bytes join(Collection<Bytes> parts) {
        byte[] all = new byte[parts.stream().mapToInt(Bytes::size).reduce(0, Math::addExact)];
        int at = 0;
        for (Bytes part : parts) {
            System.arraycopy(part.bytes, 0, all, at, part.bytes.length);
            at += part.bytes.length;
        }
        return new Bytes(all);
    }

    /** Lower-case hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The length only, because the content may be secret. */
    @Override
    public String toString() {
        return "Bytes[" + bytes.length + "]";
    }
}
