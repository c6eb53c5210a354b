package io.hearth.accel.metal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Compiles kernel text with safe mathematics: no reordering, no contraction, infinities and NaN as IEEE 754 has them. */
final class KernelCompiler {
    private static final long MATH_MODE_SAFE = 0;
    private static final long MATH_FUNCTIONS_PRECISE = 1;

    /** 3.0, of macOS 13: a later compiler reads the text in the same way. */
    private static final long LANGUAGE = 3 << 16;

    private final ObjectiveC runtime;
    private final Messages messages;
    private final Foundation foundation;

    KernelCompiler(ObjectiveC runtime, Messages messages, Foundation foundation) {
        this.runtime = runtime;
        this.messages = messages;
        this.foundation = foundation;
    }

    /** Compiles all kernels of the text for this device; adds each to {@code owned} as soon as it exists. */
    Map<Kernel, Gpu.Pipeline> compile(long device, String source, List<Long> owned) throws MetalException {
        long options = messages.ask(runtime.classNamed("MTLCompileOptions"), Selector.NEW);
        long library;
        try {
            chooseSafeMath(options);
            messages.tell(options, Selector.SET_LANGUAGE, LANGUAGE);
            library = library(device, source, options);
        } finally {
            messages.tell(options, Selector.RELEASE);
        }
        try {
            var pipelines = new EnumMap<Kernel, Gpu.Pipeline>(Kernel.class);
            for (Kernel kernel : Kernel.values()) {
                Gpu.Pipeline pipeline = pipeline(device, library, kernel);
                owned.add(pipeline.object());
                pipelines.put(kernel, pipeline);
            }
            return pipelines;
        } finally {
            messages.tell(library, Selector.RELEASE);
        }
    }

    /** Asks the instance, not its class: a class has been seen to deny methods that its instances have. */
    private void chooseSafeMath(long options) throws MetalException {
        if (messages.responds(options, Selector.SET_MATH_MODE)) {
            messages.tell(options, Selector.SET_MATH_MODE, MATH_MODE_SAFE);
        } else {
            messages.tellFlag(options, Selector.SET_FAST_MATH, false);
        }
        if (messages.responds(options, Selector.SET_MATH_FUNCTIONS)) {
            messages.tell(options, Selector.SET_MATH_FUNCTIONS, MATH_FUNCTIONS_PRECISE);
        }
    }

    private long library(long device, String source, long options) throws MetalException {
        try (var arena = Arena.ofConfined()) {
            MemorySegment error = Foundation.errorPointer(arena);
            long text = foundation.string(source);
            return compiled("", messages.ask(device, Selector.NEW_LIBRARY, text, options, error.address()), error);
        }
    }

    private Gpu.Pipeline pipeline(long device, long library, Kernel kernel) throws MetalException {
        long function = messages.ask(library, Selector.NEW_FUNCTION, foundation.string(kernel.function()));
        if (function == 0) {
            throw new MetalException(MetalFault.COMPILE, "the kernel " + kernel.function() + " is missing");
        }
        try (var arena = Arena.ofConfined()) {
            MemorySegment error = Foundation.errorPointer(arena);
            long pipeline = messages.ask(device, Selector.NEW_PIPELINE, function, error.address());
            compiled(kernel.function() + ": ", pipeline, error);
            long threadsMax = messages.ask(pipeline, Selector.THREADS_MAX);
            if (threadsMax < Math.max(1, kernel.lanes())) {
                messages.tell(pipeline, Selector.RELEASE);
                throw new MetalException(
                        MetalFault.COMPILE,
                        kernel.function() + " gets " + threadsMax + " threads of a group and needs " + kernel.lanes());
            }
            return new Gpu.Pipeline(pipeline, threadsMax);
        } finally {
            messages.tell(function, Selector.RELEASE);
        }
    }

    private long compiled(String what, long object, MemorySegment error) throws MetalException {
        if (object == 0) {
            String why = foundation.error(Foundation.errorBehind(error));
            throw new MetalException(MetalFault.COMPILE, what + why);
        }
        return object;
    }
}
