package io.hearth.accel.metal;

import org.jspecify.annotations.Nullable;

/** The result of looking for a GPU: a thread and a GPU, or a failure. */
record Opening(
        @Nullable MetalThread thread,
        @Nullable Gpu gpu,
        @Nullable MetalException failure) {
    static Opening failed(MetalException why) {
        return new Opening(null, null, why);
    }

    static Opening of(MetalLibraries libraries, MetalLimits limits, String kernels) {
        ObjectiveC runtime;
        try {
            Symbols symbols = Symbols.load(libraries); // before ObjectiveC, which would fail to initialise
            runtime = new ObjectiveC(symbols);
        } catch (MetalException absent) {
            return failed(absent);
        } catch (IllegalCallerException forbidden) {
            return failed(new MetalException(
                    MetalFault.FORBIDDEN, "start java with --enable-native-access=ALL-UNNAMED", forbidden));
        }
        var thread = new MetalThread(runtime);
        try {
            long millis = limits.submission().toMillis();
            return new Opening(thread, thread.call(() -> Gpu.open(runtime, kernels, millis), limits.opening()), null);
        } catch (MetalException failed) {
            thread.close();
            return failed(failed);
        }
    }
}
