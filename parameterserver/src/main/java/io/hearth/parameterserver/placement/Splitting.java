package io.hearth.parameterserver.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits values that are larger than a bound into pieces with names of their own. */
public final class Splitting {
    /** A piece: its name on the servers, and its bytes in the whole. */
    public record Piece(String name, int from, int to) {
        /** Bytes. */
        public int size() {
            return to - from;
        }
    }

    private Splitting() {}

    /**
     * The pieces, in order; one with the name itself if nothing has to be split. All are whole elements and of nearly equal size.
     *
     * @param size in bytes
     * @param elementBytes of an element
     * @param bytesMax of a piece, at least one element
     */
    public static List<Piece> pieces(String name, int size, int elementBytes, int bytesMax) {
        if (bytesMax < elementBytes) {
            throw new IllegalArgumentException(
                    "a piece has at least one element of " + elementBytes + " bytes, the bound is " + bytesMax);
        }
        int elements = size / elementBytes;
        int each = bytesMax / elementBytes;
        int count = Math.max(1, Math.ceilDiv(elements, each));
        if (count == 1) {
            return List.of(new Piece(name, 0, size));
        }
        var pieces = new ArrayList<Piece>();
        for (int i = 0; i < count; i++) {
            int from = (int) ((long) elements * i / count) * elementBytes;
            int to = (int) ((long) elements * (i + 1) / count) * elementBytes;
            pieces.add(new Piece(name + "#" + i + "/" + count, from, to));
        }
        return List.copyOf(pieces);
    }

    /** The bytes of a piece. */
    public static byte[] cut(byte[] whole, Piece piece) {
        return Arrays.copyOfRange(whole, piece.from(), piece.to());
    }

    /**
     * The whole, from the contents of {@code pieces} in their order.
     *
     * @throws IllegalArgumentException if a content has another size than its piece
     */
    public static byte[] join(List<Piece> pieces, List<byte[]> contents) {
        if (pieces.size() != contents.size()) {
            throw new IllegalArgumentException(pieces.size() + " pieces need as many contents, got " + contents.size());
        }
        byte[] whole = new byte[pieces.getLast().to()];
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            byte[] content = contents.get(i);
            if (content.length != piece.size()) {
                throw new IllegalArgumentException(
                        piece.name() + " has " + piece.size() + " bytes, got " + content.length);
            }
            System.arraycopy(content, 0, whole, piece.from(), content.length);
        }
        return whole;
    }
}
