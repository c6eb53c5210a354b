package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.EnumMap;
import java.util.Map;

/**
 * Sends the messages of {@link Selector}, by one method for each signature in C. Before a class gets its first message of a kind, the
 * types that it declares are compared with ours: a wrong call would crash the process, a rejected one is a reported fault.
 *
 * <p>Objects, classes, selectors and pointers are addresses, 0 is {@code nil}: this class never reads behind one, and a segment for each
 * would be an allocation in every submission. A caller that passes the address of memory keeps that memory alive.
 *
 * <p>Handles are constants, because a call through any other handle is ten times slower. One thread
 * uses an instance.
 */
final class Messages {
    private static final MethodHandle ASK = handle("@@:");
    private static final MethodHandle ASK_1 = handle("@@:@");
    private static final MethodHandle ASK_2 = handle("@@:@@");
    private static final MethodHandle ASK_3 = handle("@@:@@@");
    private static final MethodHandle ASK_FLAG = handle("B@:QQ");
    private static final MethodHandle TELL = handle("v@:");
    private static final MethodHandle TELL_1 = handle("v@:@");
    private static final MethodHandle TELL_2 = handle("v@:@@");
    private static final MethodHandle TELL_3 = handle("v@:@@@");
    private static final MethodHandle TELL_FLAG = handle("v@:B");
    private static final MethodHandle TELL_SIZES = handle("v@:{?=QQQ}{?=QQQ}");

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

    private static MethodHandle handle(String types) {
        return ObjectiveC.handle(Encoding.parse(types).descriptor());
    }

    /** Whether the object has the method, with any types. */
    boolean responds(long object, Selector selector) {
        return runtime.responds(runtime.classAddress(object), known(selector).name);
    }

    long ask(long to, Selector selector) throws MetalException {
        long selected = ready(to, selector, ASK);
        try {
            return (long) ASK.invokeExact(send, to, selected);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long ask(long to, Selector selector, long one) throws MetalException {
        long selected = ready(to, selector, ASK_1);
        try {
            return (long) ASK_1.invokeExact(send, to, selected, one);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long ask(long to, Selector selector, long one, long two) throws MetalException {
        long selected = ready(to, selector, ASK_2);
        try {
            return (long) ASK_2.invokeExact(send, to, selected, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    long ask(long to, Selector selector, long one, long two, long three) throws MetalException {
        long selected = ready(to, selector, ASK_3);
        try {
            return (long) ASK_3.invokeExact(send, to, selected, one, two, three);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    boolean askFlag(long to, Selector selector, long one, long two) throws MetalException {
        long selected = ready(to, selector, ASK_FLAG);
        try {
            return (boolean) ASK_FLAG.invokeExact(send, to, selected, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tell(long to, Selector selector) throws MetalException {
        long selected = ready(to, selector, TELL);
        try {
            TELL.invokeExact(send, to, selected);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tell(long to, Selector selector, long one) throws MetalException {
        long selected = ready(to, selector, TELL_1);
        try {
            TELL_1.invokeExact(send, to, selected, one);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tell(long to, Selector selector, long one, long two) throws MetalException {
        long selected = ready(to, selector, TELL_2);
        try {
            TELL_2.invokeExact(send, to, selected, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tell(long to, Selector selector, long one, long two, long three) throws MetalException {
        long selected = ready(to, selector, TELL_3);
        try {
            TELL_3.invokeExact(send, to, selected, one, two, three);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    void tellFlag(long to, Selector selector, boolean value) throws MetalException {
        long selected = ready(to, selector, TELL_FLAG);
        try {
            TELL_FLAG.invokeExact(send, to, selected, value);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    /** Passes both sizes by value; layout {@link Encoding#SIZE}. */
    void tellSizes(long to, Selector selector, MemorySegment one, MemorySegment two) throws MetalException {
        long selected = ready(to, selector, TELL_SIZES);
        try {
            TELL_SIZES.invokeExact(send, to, selected, one, two);
        } catch (Throwable impossible) {
            throw ObjectiveC.unexpected(impossible);
        }
    }

    private long ready(long to, Selector selector, MethodHandle handle) throws MetalException {
        if (to == 0) {
            throw new MetalException(MetalFault.COMMAND, "there is no object to send '" + selector.text() + "' to");
        }
        Known known = known(selector);
        long type = runtime.classAddress(to);
        if (known.verifiedClass != type) {
            MethodType signature = selector.encoding().descriptor().toMethodType();
            if (!handle.type().dropParameterTypes(0, 1).equals(signature)) {
                throw new AssertionError(selector + " has the signature " + signature + ", not " + handle.type());
            }
            verify(selector, runtime.encoding(type, known.name));
            known.verifiedClass = type;
        }
        return known.name;
    }

    private static void verify(Selector selector, String declared) throws MetalException {
        String expected = selector.encoding().toString();
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
