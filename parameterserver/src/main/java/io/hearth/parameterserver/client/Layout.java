package io.hearth.parameterserver.client;

import com.google.protobuf.UnsafeByteOperations;
import io.hearth.parameterserver.placement.Placement;
import io.hearth.parameterserver.placement.Splitting;
import io.hearth.parameterserver.placement.Splitting.Piece;
import io.hearth.parameterserver.wire.ElementType;
import io.hearth.parameterserver.wire.Parameter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The parameters of a model, their pieces, and the parts in which they are. */
final class Layout {
    private final int pieceBytesMax;
    private final Map<String, Shape> shapes = new TreeMap<>();
    private final Map<String, Integer> places;

    Layout(List<Shape> all, int parts, ClientOptions options) {
        this.pieceBytesMax = options.pieceBytesMax();
        var sizes = new TreeMap<String, Integer>();
        for (Shape shape : all) {
            shapes.put(shape.name(), shape);
            pieces(shape).forEach(piece -> sizes.put(piece.name(), piece.size()));
        }
        this.places = options.isPlacedBySize() ? Placement.bySize(sizes, parts) : new TreeMap<>();
        if (!options.isPlacedBySize()) {
            sizes.keySet().forEach(name -> places.put(name, Placement.byName(name, parts)));
        }
    }

    /** @throws IllegalArgumentException if there is no such parameter */
    Shape shape(String name) {
        Shape shape = shapes.get(name);
        if (shape == null) {
            throw new IllegalArgumentException("parameter: " + name + " does not exist; name it when you connect");
        }
        return shape;
    }

    List<Piece> pieces(Shape shape) {
        return Splitting.pieces(shape.name(), shape.bytes(), shape.type().bytes(), pieceBytesMax);
    }

    /** The number of the part that has a piece. */
    int part(Piece piece) {
        return places.getOrDefault(piece.name(), 0);
    }

    /**
     * A piece of some content.
     *
     * @throws IllegalArgumentException if the content is not as long as the parameter
     */
    static Parameter parameter(Shape shape, Piece piece, byte[] content) {
        if (content.length != shape.bytes()) {
            throw new IllegalArgumentException("wrong length: parameter " + shape.name() + " has " + shape.bytes()
                    + " bytes, got " + content.length);
        }
        return Parameter.newBuilder()
                .setName(piece.name())
                .setElementType(ElementType.forNumber(shape.type().number()))
                .setContent(UnsafeByteOperations.unsafeWrap(content, piece.from(), piece.size()))
                .build();
    }
}
