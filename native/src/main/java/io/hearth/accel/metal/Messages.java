package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.EnumMap;
import java.util.Map;

/**
 * Sends the messages of {@link Selector}, one method per {@link Shape}. Before a class gets its first message of a kind, the
 * types that it declares for it are compared with ours: a wrong call would be a crash, a refused one is a reason.
 *
 * <p>Handles are constants, because the JIT compiles a call through a handle that is not one ten times slower. One thread
 * uses an instance.
 */
final class Messages {
    private static final MethodHandle OBJECT = handle(Shape.OBJECT);
    private static final MethodHandle OBJECT_OF_TEXT = handle(Shape.OBJECT_OF_TEXT);
    private static final MethodHandle OBJECT_OF_OBJECT = handle(Shape.OBJECT_OF_OBJECT);
    private static final MethodHandle OBJECT_OF_INDEX = handle(Shape.OBJECT_OF_INDEX);
    private static final MethodHandle OBJECT_OF_TWO_LONGS = handle(Shape.OBJECT_OF_TWO_LONGS);
    private static final MethodHandle OBJECT_OR_ERROR = handle(Shape.OBJECT_OR_ERROR);
    private static final MethodHandle LIBRARY_OR_ERROR = handle(Shape.LIBRARY_OR_ERROR);
    private static final MethodHandle LONG = handle(Shape.LONG);
    private static final MethodHandle SIGNED_LONG = handle(Shape.SIGNED_LONG);
    private static final MethodHandle FLAG_OF_TWO_LONGS = handle(Shape.FLAG_OF_TWO_LONGS);
    private static final MethodHandle POINTER = handle(Shape.POINTER);
    private static final MethodHandle TEXT = handle(Shape.TEXT);
    private static final MethodHandle NOTHING = handle(Shape.NOTHING);
    private static final MethodHandle NOTHING_OF_LONG = handle(Shape.NOTHING_OF_LONG);
    private static final MethodHandle NOTHING_OF_FLAG = handle(Shape.NOTHING_OF_FLAG);
    private static final MethodHandle NOTHING_OF_OBJECT = handle(Shape.NOTHING_OF_OBJECT);
    private static final MethodHandle NOTHING_OF_OBJECT_AND_LONG = handle(Shape.NOTHING_OF_OBJECT_AND_LONG);
    private static final MethodHandle NOTHING_OF_OBJECT_AND_TWO_LONGS = handle(Shape.NOTHING_OF_OBJECT_AND_TWO_LONGS);
    private static final MethodHandle NOTHING_OF_BYTES = handle(Shape.NOTHING_OF_BYTES);
    private static final MethodHandle NOTHING_OF_TWO_SIZES = handle(Shape.NOTHING_OF_TWO_SIZES);

    private final ObjectiveC runtime;
    private final MemorySegment send;
    private final Map<Selector, Known> known = new EnumMap<>(Selector.class);

    Messages(ObjectiveC runtime) {
        this.runtime = runtime;
        send = runtime.send();
    }

    /** A selector as this runtime registers it, and the last class that was found to have it with our types. */
    private static final class Known {
        private final MemorySegment name;
        private long verifiedClass;

        private Known(MemorySegment name) {
            this.name = name;
        }
    }

    private Known known(Selector selector) {
        Known found = known.get(selector);
        if (found == null) {
            found = new Known(runtime.selector(selector.text()));
            known.put(selector, found);
        }
        return found;
    }

    private static MethodHandle handle(Shape shape) {
        return ObjectiveC.handle(shape.encoding().descriptor());
    }

    /** Whether the object has the method, with whatever types. */
    boolean responds(MemorySegment object, Selector selector) {
        return runtime.responds(MemorySegment.ofAddress(runtime.classAddress(object)), known(selector).name);
    }

    MemorySegment object(MemorySegment to, Selector selector) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.OBJECT);
        try {
            return (MemorySegment) OBJECT.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment objectOfText(MemorySegment to, Selector selector, MemorySegment text) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.OBJECT_OF_TEXT);
        try {
            return (MemorySegment) OBJECT_OF_TEXT.invokeExact(send, to, name, text);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment objectOfObject(MemorySegment to, Selector selector, MemorySegment argument) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.OBJECT_OF_OBJECT);
        try {
            return (MemorySegment) OBJECT_OF_OBJECT.invokeExact(send, to, name, argument);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment objectOfIndex(MemorySegment to, Selector selector, long index) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.OBJECT_OF_INDEX);
        try {
            return (MemorySegment) OBJECT_OF_INDEX.invokeExact(send, to, name, index);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment objectOfTwoLongs(MemorySegment to, Selector selector, long one, long two) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.OBJECT_OF_TWO_LONGS);
        try {
            return (MemorySegment) OBJECT_OF_TWO_LONGS.invokeExact(send, to, name, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Nil and an NSError behind {@code error} if it fails. */
    MemorySegment objectOrError(MemorySegment to, Selector selector, MemorySegment argument, MemorySegment error)
            throws MetalException {
        MemorySegment name = ready(to, selector, Shape.OBJECT_OR_ERROR);
        try {
            return (MemorySegment) OBJECT_OR_ERROR.invokeExact(send, to, name, argument, error);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Nil and an NSError behind {@code error} if it fails. */
    MemorySegment libraryOrError(
            MemorySegment to, Selector selector, MemorySegment source, MemorySegment options, MemorySegment error)
            throws MetalException {
        MemorySegment name = ready(to, selector, Shape.LIBRARY_OR_ERROR);
        try {
            return (MemorySegment) LIBRARY_OR_ERROR.invokeExact(send, to, name, source, options, error);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long number(MemorySegment to, Selector selector) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.LONG);
        try {
            return (long) LONG.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long signedNumber(MemorySegment to, Selector selector) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.SIGNED_LONG);
        try {
            return (long) SIGNED_LONG.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    boolean flagOfTwoLongs(MemorySegment to, Selector selector, long one, long two) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.FLAG_OF_TWO_LONGS);
        try {
            return (boolean) FLAG_OF_TWO_LONGS.invokeExact(send, to, name, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment pointer(MemorySegment to, Selector selector) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.POINTER);
        try {
            return (MemorySegment) POINTER.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment text(MemorySegment to, Selector selector) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.TEXT);
        try {
            return (MemorySegment) TEXT.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tell(MemorySegment to, Selector selector) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING);
        try {
            NOTHING.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellLong(MemorySegment to, Selector selector, long value) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_LONG);
        try {
            NOTHING_OF_LONG.invokeExact(send, to, name, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellFlag(MemorySegment to, Selector selector, boolean value) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_FLAG);
        try {
            NOTHING_OF_FLAG.invokeExact(send, to, name, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellObject(MemorySegment to, Selector selector, MemorySegment argument) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_OBJECT);
        try {
            NOTHING_OF_OBJECT.invokeExact(send, to, name, argument);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellObject(MemorySegment to, Selector selector, MemorySegment argument, long value) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_OBJECT_AND_LONG);
        try {
            NOTHING_OF_OBJECT_AND_LONG.invokeExact(send, to, name, argument, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellObject(MemorySegment to, Selector selector, MemorySegment argument, long one, long two)
            throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_OBJECT_AND_TWO_LONGS);
        try {
            NOTHING_OF_OBJECT_AND_TWO_LONGS.invokeExact(send, to, name, argument, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** The bytes are copied before it returns. */
    void tellBytes(MemorySegment to, Selector selector, MemorySegment bytes, long index) throws MetalException {
        tellBytes(to, selector, bytes, bytes.byteSize(), index);
    }

    /** The first {@code length} of them. */
    void tellBytes(MemorySegment to, Selector selector, MemorySegment bytes, long length, long index)
            throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_BYTES);
        try {
            NOTHING_OF_BYTES.invokeExact(send, to, name, bytes, length, index);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Both by value; layout {@link Encoding#SIZE}. */
    void tellSizes(MemorySegment to, Selector selector, MemorySegment one, MemorySegment two) throws MetalException {
        MemorySegment name = ready(to, selector, Shape.NOTHING_OF_TWO_SIZES);
        try {
            NOTHING_OF_TWO_SIZES.invokeExact(send, to, name, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    private MemorySegment ready(MemorySegment to, Selector selector, Shape shape) throws MetalException {
        if (selector.shape() != shape) {
            throw new AssertionError(selector + " has the shape " + selector.shape() + ", not " + shape);
        }
        if (to.address() == 0) {
            throw new MetalException(MetalFault.COMMAND, "there is no object to send '" + selector.text() + "' to");
        }
        Known known = known(selector);
        long type = runtime.classAddress(to);
        if (known.verifiedClass != type) {
            verify(selector, runtime.encoding(MemorySegment.ofAddress(type), known.name));
            known.verifiedClass = type;
        }
        return known.name;
    }

    private static void verify(Selector selector, String declared) throws MetalException {
        String expected = selector.shape().encoding().toString();
        String found;
        try {
            found = Encoding.parse(declared).toString();
        } catch (IllegalArgumentException malformed) {
            found = declared;
        }
        if (!found.equals(expected)) {
            throw new MetalException(
                    MetalFault.UNKNOWN_TYPES,
                    "the method '" + selector.text() + "' should have the types " + expected
                            + (found.isEmpty() ? " but is missing" : " but has " + found));
        }
    }
}
