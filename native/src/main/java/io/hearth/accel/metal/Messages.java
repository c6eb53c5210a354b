package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.EnumMap;
import java.util.Map;

/**
 * Sends the messages of {@link Selector}, by one method for each {@link Shape}. Before a class gets its first message of a kind, the
 * types that it declares are compared with ours: a wrong call would crash the process, a rejected one is a reported fault.
 *
 * <p>Objects, classes and selectors are addresses, 0 is {@code nil}: this class never reads behind one, and a segment for each would be
 * an allocation in every submission.
 *
 * <p>Handles are constants, because a call through any other handle is ten times slower. One thread
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
    private static final MethodHandle NOTHING_OF_UNSIGNED_LONG = handle(Shape.NOTHING_OF_UNSIGNED_LONG);
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

    /** A registered selector, and the last class that was seen to declare it with our types. */
    private static final class Known {
        private final long name;
        private long verifiedClass;

        private Known(long name) {
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

    /** Whether the object has the method, with any types. */
    boolean responds(long object, Selector selector) {
        return runtime.responds(runtime.classAddress(object), known(selector).name);
    }

    long object(long to, Selector selector) throws MetalException {
        long name = ready(to, selector, Shape.OBJECT);
        try {
            return (long) OBJECT.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long objectOfText(long to, Selector selector, MemorySegment text) throws MetalException {
        long name = ready(to, selector, Shape.OBJECT_OF_TEXT);
        try {
            return (long) OBJECT_OF_TEXT.invokeExact(send, to, name, text);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long objectOfObject(long to, Selector selector, long argument) throws MetalException {
        long name = ready(to, selector, Shape.OBJECT_OF_OBJECT);
        try {
            return (long) OBJECT_OF_OBJECT.invokeExact(send, to, name, argument);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long objectOfIndex(long to, Selector selector, long index) throws MetalException {
        long name = ready(to, selector, Shape.OBJECT_OF_INDEX);
        try {
            return (long) OBJECT_OF_INDEX.invokeExact(send, to, name, index);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long objectOfTwoLongs(long to, Selector selector, long one, long two) throws MetalException {
        long name = ready(to, selector, Shape.OBJECT_OF_TWO_LONGS);
        try {
            return (long) OBJECT_OF_TWO_LONGS.invokeExact(send, to, name, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Nil and an NSError behind {@code error} if it fails. */
    long objectOrError(long to, Selector selector, long argument, MemorySegment error) throws MetalException {
        long name = ready(to, selector, Shape.OBJECT_OR_ERROR);
        try {
            return (long) OBJECT_OR_ERROR.invokeExact(send, to, name, argument, error);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Nil and an NSError behind {@code error} if it fails. */
    long libraryOrError(long to, Selector selector, long source, long options, MemorySegment error)
            throws MetalException {
        long name = ready(to, selector, Shape.LIBRARY_OR_ERROR);
        try {
            return (long) LIBRARY_OR_ERROR.invokeExact(send, to, name, source, options, error);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long number(long to, Selector selector) throws MetalException {
        long name = ready(to, selector, Shape.LONG);
        try {
            return (long) LONG.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long signedNumber(long to, Selector selector) throws MetalException {
        long name = ready(to, selector, Shape.SIGNED_LONG);
        try {
            return (long) SIGNED_LONG.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    boolean flagOfTwoLongs(long to, Selector selector, long one, long two) throws MetalException {
        long name = ready(to, selector, Shape.FLAG_OF_TWO_LONGS);
        try {
            return (boolean) FLAG_OF_TWO_LONGS.invokeExact(send, to, name, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment pointer(long to, Selector selector) throws MetalException {
        long name = ready(to, selector, Shape.POINTER);
        try {
            return (MemorySegment) POINTER.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    MemorySegment text(long to, Selector selector) throws MetalException {
        long name = ready(to, selector, Shape.TEXT);
        try {
            return (MemorySegment) TEXT.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tell(long to, Selector selector) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING);
        try {
            NOTHING.invokeExact(send, to, name);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellLong(long to, Selector selector, long value) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_LONG);
        try {
            NOTHING_OF_LONG.invokeExact(send, to, name, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellUnsignedLong(long to, Selector selector, long value) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_UNSIGNED_LONG);
        try {
            NOTHING_OF_UNSIGNED_LONG.invokeExact(send, to, name, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellFlag(long to, Selector selector, boolean value) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_FLAG);
        try {
            NOTHING_OF_FLAG.invokeExact(send, to, name, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellObject(long to, Selector selector, long argument) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_OBJECT);
        try {
            NOTHING_OF_OBJECT.invokeExact(send, to, name, argument);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellObject(long to, Selector selector, long argument, long value) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_OBJECT_AND_LONG);
        try {
            NOTHING_OF_OBJECT_AND_LONG.invokeExact(send, to, name, argument, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellObject(long to, Selector selector, long argument, long one, long two) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_OBJECT_AND_TWO_LONGS);
        try {
            NOTHING_OF_OBJECT_AND_TWO_LONGS.invokeExact(send, to, name, argument, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** The bytes are copied before it returns. */
    void tellBytes(long to, Selector selector, MemorySegment bytes, long index) throws MetalException {
        tellBytes(to, selector, bytes, bytes.byteSize(), index);
    }

    /** Sends the first {@code length} bytes, which are copied before it returns. */
    void tellBytes(long to, Selector selector, MemorySegment bytes, long length, long index) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_BYTES);
        try {
            NOTHING_OF_BYTES.invokeExact(send, to, name, bytes, length, index);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Passes both sizes by value; layout {@link Encoding#SIZE}. */
    void tellSizes(long to, Selector selector, MemorySegment one, MemorySegment two) throws MetalException {
        long name = ready(to, selector, Shape.NOTHING_OF_TWO_SIZES);
        try {
            NOTHING_OF_TWO_SIZES.invokeExact(send, to, name, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    private long ready(long to, Selector selector, Shape shape) throws MetalException {
        if (selector.shape() != shape) {
            throw new AssertionError(selector + " has the shape " + selector.shape() + ", not " + shape);
        }
        if (to == 0) {
            throw new MetalException(MetalFault.COMMAND, "there is no object to send '" + selector.text() + "' to");
        }
        Known known = known(selector);
        long type = runtime.classAddress(to);
        if (known.verifiedClass != type) {
            verify(selector, runtime.encoding(type, known.name));
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
