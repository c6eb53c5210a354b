package io.hearth.accel.metal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The C functions of the Objective-C runtime and of Metal, found by name. Pointers are zero-length segments; {@link
 * MemorySegment#NULL} is {@code nil}.
 */
final class ObjectiveC {
    private static final MethodHandle GET = handle(FunctionDescriptor.of(ADDRESS));
    private static final MethodHandle MAP = handle(FunctionDescriptor.of(ADDRESS, ADDRESS));
    private static final MethodHandle ADDRESS_OF = handle(FunctionDescriptor.of(JAVA_LONG, ADDRESS));
    private static final MethodHandle FIND = handle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle ASK = handle(FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS, ADDRESS));
    private static final MethodHandle TAKE = handle(FunctionDescriptor.ofVoid(ADDRESS));
    private static final long ENCODING_BYTES_MAX = 1024;

    private final MemorySegment send;
    private final MemorySegment getClass;
    private final MemorySegment registerSelector;
    private final MemorySegment classOf;
    private final MemorySegment instanceMethod;
    private final MemorySegment typeEncoding;
    private final MemorySegment responds;
    private final MemorySegment pushPool;
    private final MemorySegment popPool;
    private final MemorySegment defaultDevice;
    private final MemorySegment allDevices;

    /** Finds all functions; ABSENT if one is missing. */
    ObjectiveC(Symbols symbols) throws MetalException {
        send = symbols.ofRuntime("objc_msgSend");
        getClass = symbols.ofRuntime("objc_getClass");
        registerSelector = symbols.ofRuntime("sel_registerName");
        classOf = symbols.ofRuntime("object_getClass");
        instanceMethod = symbols.ofRuntime("class_getInstanceMethod");
        typeEncoding = symbols.ofRuntime("method_getTypeEncoding");
        responds = symbols.ofRuntime("class_respondsToSelector");
        pushPool = symbols.ofRuntime("objc_autoreleasePoolPush");
        popPool = symbols.ofRuntime("objc_autoreleasePoolPop");
        defaultDevice = symbols.ofMetal("MTLCreateSystemDefaultDevice");
        allDevices = symbols.ofMetal("MTLCopyAllDevices");
    }

    /** Address of {@code objc_msgSend}, which is called with the types of the method that it leads to. */
    MemorySegment send() {
        return send;
    }

    MemorySegment classNamed(String name) throws MetalException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment found = map(getClass, arena.allocateFrom(name));
            if (found.address() == 0) {
                throw new MetalException(MetalFault.ABSENT, "the class " + name + " is missing");
            }
            return found;
        }
    }

    MemorySegment selector(String name) {
        try (var arena = Arena.ofConfined()) {
            return map(registerSelector, arena.allocateFrom(name));
        }
    }

    /** Where the object's class is; as a number, since it is asked before each message and an object for it would be garbage. */
    long classAddress(MemorySegment object) {
        try {
            return (long) ADDRESS_OF.invokeExact(classOf, object);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    boolean responds(MemorySegment type, MemorySegment selector) {
        try {
            return (boolean) ASK.invokeExact(responds, type, selector);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The types that the class declares for the method; empty if it has none of that name. */
    String encoding(MemorySegment type, MemorySegment selector) {
        MemorySegment method;
        try {
            method = (MemorySegment) FIND.invokeExact(instanceMethod, type, selector);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
        return method.address() == 0 ? "" : text(map(typeEncoding, method), ENCODING_BYTES_MAX);
    }

    /** Opens an autorelease pool of this thread, which has to close it. */
    MemorySegment pushPool() {
        return get(pushPool);
    }

    void popPool(MemorySegment pool) {
        try {
            TAKE.invokeExact(popPool, pool);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The GPU that macOS prefers, owned by the caller; nil for some processes without a window session. */
    MemorySegment defaultDevice() {
        return get(defaultDevice);
    }

    /** An array of all GPUs, owned by the caller. */
    MemorySegment allDevices() {
        return get(allDevices);
    }

    /** A C string of at most so many bytes, its end included; empty for nil. */
    @SuppressWarnings("restricted")
    static String text(MemorySegment pointer, long bytesMax) {
        return pointer.address() == 0 ? "" : pointer.reinterpret(bytesMax).getString(0);
    }

    @SuppressWarnings("restricted")
    static MethodHandle handle(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor);
    }

    static AssertionError unexpected(Throwable thrown) {
        return new AssertionError("a call of native code threw", thrown);
    }

    private static MemorySegment get(MemorySegment function) {
        try {
            return (MemorySegment) GET.invokeExact(function);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    private static MemorySegment map(MemorySegment function, MemorySegment argument) {
        try {
            return (MemorySegment) MAP.invokeExact(function, argument);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }
}
