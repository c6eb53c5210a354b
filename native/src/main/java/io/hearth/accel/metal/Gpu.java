package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A GPU with its queue and compiled kernels. One thread uses it, each time within an autorelease pool.
 *
 * <p>Owned objects (those of {@code new…} methods) are released in {@link #close}; all others belong to the pool.
 */
final class Gpu {
    /** {@code MTLResourceStorageModeShared}: one memory for CPU and GPU. */
    private static final long SHARED = 0;

    private final Messages messages;
    private final long device;
    private final String name;
    private final long bufferBytesMax;
    private final long queue;
    private final Map<Kernel, Pipeline> pipelines;
    private final Submission submission;

    /** A compiled kernel; {@code threadsMax} per threadgroup. */
    record Pipeline(long object, long threadsMax) {}

    /** A buffer of Metal, and the same memory as CPU and sockets see it. */
    record Buffer(long object, MemorySegment contents) {}

    private Gpu(
            Messages messages,
            long device,
            String name,
            long bufferBytesMax,
            long queue,
            Map<Kernel, Pipeline> pipelines,
            Submission submission) {
        this.messages = messages;
        this.device = device;
        this.name = name;
        this.bufferBytesMax = bufferBytesMax;
        this.queue = queue;
        this.pipelines = pipelines;
        this.submission = submission;
    }

    /**
     * Finds the GPU and compiles all kernels of a text, which takes up to a second.
     *
     * @param limitMillis timeout of one submission
     */
    static Gpu open(ObjectiveC runtime, String source, long limitMillis) throws MetalException {
        var messages = new Messages(runtime);
        var foundation = new Foundation(runtime, messages);
        var owned = new ArrayList<Long>();
        try {
            long device = keep(owned, findDevice(runtime, messages));
            String name = foundation.text(messages.ask(device, Selector.NAME));
            long bytesMax = messages.ask(device, Selector.BUFFER_BYTES_MAX);
            long queue = keep(owned, made("command queue", messages.ask(device, Selector.NEW_QUEUE)));
            long event = keep(owned, made("event", messages.ask(device, Selector.NEW_EVENT)));
            Map<Kernel, Pipeline> pipelines =
                    new KernelCompiler(runtime, messages, foundation).compile(device, source, owned);
            var submission = new Submission(messages, foundation, queue, event, pipelines, limitMillis);
            return new Gpu(messages, device, name, bytesMax, queue, pipelines, submission);
        } catch (MetalException failed) {
            for (long object : owned.reversed()) {
                messages.tell(object, Selector.RELEASE);
            }
            throw failed;
        }
    }

    private static long keep(List<Long> owned, long object) {
        owned.add(object);
        return object;
    }

    private static long findDevice(ObjectiveC runtime, Messages messages) throws MetalException {
        long preferred = runtime.defaultDevice();
        if (preferred != 0) {
            return preferred;
        }
        long all = runtime.allDevices();
        if (all != 0) {
            try {
                if (messages.ask(all, Selector.COUNT) > 0) {
                    long first = messages.ask(all, Selector.OBJECT_AT, 0);
                    return messages.ask(first, Selector.RETAIN);
                }
            } finally {
                messages.tell(all, Selector.RELEASE);
            }
        }
        throw new MetalException(MetalFault.NO_DEVICE, "macOS shows no GPU to this process");
    }

    private static long made(String what, long object) throws MetalException {
        if (object == 0) {
            throw new MetalException(MetalFault.COMMAND, "Metal made no " + what);
        }
        return object;
    }

    /** The name by which Metal calls the GPU. */
    String name() {
        return name;
    }

    /** Allocates shared memory, all of it zero; the caller owns it until {@link #release}. */
    @SuppressWarnings("restricted")
    Buffer newBuffer(long bytes) throws MetalException {
        if (bytes > bufferBytesMax) {
            throw new MetalException(
                    MetalFault.OUT_OF_MEMORY, bytes + " bytes are more than the " + bufferBytesMax + " of one buffer");
        }
        long object = messages.ask(device, Selector.NEW_BUFFER, bytes, SHARED);
        if (object == 0) {
            throw new MetalException(MetalFault.OUT_OF_MEMORY, "no memory for a buffer of " + bytes + " bytes");
        }
        long contents = messages.ask(object, Selector.CONTENTS);
        if (contents == 0) {
            messages.tell(object, Selector.RELEASE);
            throw new MetalException(MetalFault.OUT_OF_MEMORY, "a buffer of " + bytes + " bytes has no contents");
        }
        return new Buffer(object, MemorySegment.ofAddress(contents).reinterpret(bytes));
    }

    void release(Buffer buffer) throws MetalException {
        messages.tell(buffer.object(), Selector.RELEASE);
    }

    /** Runs the dispatch in a command buffer of its own and waits for the end. */
    void run(Dispatch dispatch) throws MetalException {
        submission.run(dispatch);
    }

    /** Sets the timeout of one submission. */
    void limitSubmissions(long millis) {
        submission.limit(millis);
    }

    /** Releases everything that {@link #open} made; the owners release buffers. */
    void close() throws MetalException {
        for (Pipeline pipeline : pipelines.values()) {
            messages.tell(pipeline.object(), Selector.RELEASE);
        }
        messages.tell(submission.event(), Selector.RELEASE);
        messages.tell(queue, Selector.RELEASE);
        messages.tell(device, Selector.RELEASE);
    }
}
