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
 * The C functions of the Objective-C runtime and of Metal, found by name. Objects, classes, methods and selectors are addresses, behind
 * which no code here reads; 0 is {@code nil}.
 */
final class ObjectiveC {
    private static final MethodHandle GET = handle(FunctionDescriptor.of(JAVA_LONG));
    private static final MethodHandle NAMED = handle(FunctionDescriptor.of(JAVA_LONG, ADDRESS));
    private static final MethodHandle CLASS_OF = handle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FIND = handle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle TYPES = handle(FunctionDescriptor.of(ADDRESS, JAVA_LONG));
    private static final MethodHandle ASK = handle(FunctionDescriptor.of(JAVA_BOOLEAN, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle TAKE = handle(FunctionDescriptor.ofVoid(JAVA_LONG));
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

    /** Address of {@code objc_msgSend}, which takes the types of the method that it calls. */
    MemorySegment send() {
        return send;
    }

    long classNamed(String name) throws MetalException {
        try (var arena = Arena.ofConfined()) {
            long found = named(getClass, arena.allocateFrom(name));
            if (found == 0) {
                throw new MetalException(MetalFault.ABSENT, "the class " + name + " is missing");
            }
            return found;
        }
    }

    long selector(String name) {
        try (var arena = Arena.ofConfined()) {
            return named(registerSelector, arena.allocateFrom(name));
        }
    }

    /** The object's class. */
    long classAddress(long object) {
        try {
            return (long) CLASS_OF.invokeExact(classOf, object);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    boolean responds(long type, long selector) {
        try {
            return (boolean) ASK.invokeExact(responds, type, selector);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The types that the class declares for the method; empty if it has none of that name. */
    String encoding(long type, long selector) {
        try {
            long method = (long) FIND.invokeExact(instanceMethod, type, selector);
            return method == 0 ? "" : text((MemorySegment) TYPES.invokeExact(typeEncoding, method), ENCODING_BYTES_MAX);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** Opens an autorelease pool of this thread; the same thread must close it. */
    long pushPool() {
        return get(pushPool);
    }

    void popPool(long pool) {
        try {
            TAKE.invokeExact(popPool, pool);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    /** The GPU that macOS prefers, owned by the caller; nil for some processes without a window session. */
    long defaultDevice() {
        return get(defaultDevice);
    }

    /** An array of all GPUs, owned by the caller. */
    long allDevices() {
        return get(allDevices);
    }

    /** Reads a C string of at most {@code bytesMax} bytes, its end included; empty for nil. */
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

    private static long get(MemorySegment function) {
        try {
            return (long) GET.invokeExact(function);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }

    private static long named(MemorySegment function, MemorySegment name) {
        try {
            return (long) NAMED.invokeExact(function, name);
        } catch (Throwable impossible) {
            throw unexpected(impossible);
        }
    }
}
