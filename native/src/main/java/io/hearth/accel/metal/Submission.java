package io.hearth.accel.metal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs one command buffer at a time: encode, commit, wait with a timeout.
 *
 * <p>{@code waitUntilCompleted} has no timeout, and polling the status alone has been seen to miss the end. So the buffer signals a
 * shared event; its status, which follows the signal shortly, then shows whether it succeeded. A buffer that fails never signals, so the
 * status is also read between short waits.
 */
final class Submission {
    private static final long COMPLETED = 4;
    private static final long FAILED = 5;

    /** Codes of {@code MTLCommandBufferError}. */
    private static final long ERROR_OUT_OF_MEMORY = 8;

    private static final long ERROR_DEVICE_REMOVED = 11;

    private static final long THREADS_PER_GROUP_MAX = 256;
    private static final long LOOK_MILLIS = 50;
    private static final Duration STATUS_FOLLOWS = Duration.ofNanos(50_000);

    private final Messages messages;
    private final Foundation foundation;
    private final long queue;
    private final long event;
    private final Map<Kernel, Gpu.Pipeline> pipelines;
    private volatile long limitMillis; // set by the thread that has the turn, read by the thread of the GPU
    private final MemorySegment words = Arena.ofAuto().allocate(ValueLayout.JAVA_INT, Kernel.PARAMETERS_MAX);
    private final MemorySegment groupsSize = size();
    private final MemorySegment threadsSize = size();
    private long signalled;

    Submission(
            Messages messages,
            Foundation foundation,
            long queue,
            long event,
            Map<Kernel, Gpu.Pipeline> pipelines,
            long limitMillis) {
        this.messages = messages;
        this.foundation = foundation;
        this.queue = queue;
        this.event = event;
        this.pipelines = pipelines;
        this.limitMillis = limitMillis;
    }

    long event() {
        return event;
    }

    void limit(long millis) {
        limitMillis = millis;
    }

    void run(Dispatch dispatch) throws MetalException {
        long commands = messages.ask(queue, Selector.COMMAND_BUFFER);
        long encoder = messages.ask(commands, Selector.ENCODER);
        try {
            encode(encoder, dispatch);
        } finally {
            messages.tell(encoder, Selector.END_ENCODING); // Metal ends the process if an open encoder is released
        }
        long value = ++signalled;
        messages.tell(commands, Selector.SIGNAL, event, value);
        messages.tell(commands, Selector.COMMIT);
        await(commands, value);
    }

    private void encode(long encoder, Dispatch dispatch) throws MetalException {
        Gpu.Pipeline pipeline = pipelines.get(dispatch.kernel());
        if (pipeline == null) {
            throw new AssertionError("not compiled: " + dispatch.kernel());
        }
        messages.tell(encoder, Selector.SET_PIPELINE, pipeline.object());
        for (int i = 0; i < dispatch.buffers(); i++) {
            Dispatch.BufferSlice place = dispatch.buffer(i);
            messages.tell(encoder, Selector.SET_BUFFER, place.buffer().object(), place.offset(), i);
        }
        int parameters = dispatch.parameters();
        for (int i = 0; i < parameters; i++) {
            words.setAtIndex(ValueLayout.JAVA_INT, i, dispatch.parameter(i));
        }
        messages.tell(
                encoder, Selector.SET_BYTES, words.address(), (long) parameters * Integer.BYTES, Kernel.JOB_INDEX);
        int lanes = dispatch.kernel().lanes();
        long threads = lanes > 0 ? lanes : Math.min(THREADS_PER_GROUP_MAX, pipeline.threadsMax());
        long groups = lanes > 0 ? dispatch.units() : (dispatch.units() + threads - 1) / threads;
        groupsSize.setAtIndex(ValueLayout.JAVA_LONG, 0, groups);
        threadsSize.setAtIndex(ValueLayout.JAVA_LONG, 0, threads);
        messages.tellSizes(encoder, Selector.DISPATCH, groupsSize, threadsSize);
    }

    /** A size of one row, whose length each dispatch sets. */
    private static MemorySegment size() {
        MemorySegment size = Arena.ofAuto().allocate(Encoding.SIZE);
        size.setAtIndex(ValueLayout.JAVA_LONG, 1, 1);
        size.setAtIndex(ValueLayout.JAVA_LONG, 2, 1);
        return size;
    }

    private void await(long commands, long value) throws MetalException {
        long startNanos = System.nanoTime();
        boolean signal = false;
        while (true) {
            long status = messages.ask(commands, Selector.STATUS);
            if (status == FAILED) {
                throw failure(messages.ask(commands, Selector.ERROR));
            }
            if (signal && status == COMPLETED) {
                return;
            }
            long leftMillis = limitMillis - (System.nanoTime() - startNanos) / 1_000_000;
            if (leftMillis <= 0) {
                throw new MetalException(
                        MetalFault.HANG, "no answer within " + limitMillis + " ms (status " + status + ")");
            }
            if (signal) {
                LockSupport.parkNanos(STATUS_FOLLOWS.toNanos());
            } else {
                signal = messages.askFlag(event, Selector.WAIT, value, Math.min(LOOK_MILLIS, leftMillis));
            }
        }
    }

    private MetalException failure(long error) throws MetalException {
        long code = foundation.code(error);
        MetalFault fault = code == ERROR_OUT_OF_MEMORY
                ? MetalFault.OUT_OF_MEMORY
                : code == ERROR_DEVICE_REMOVED ? MetalFault.REMOVED : MetalFault.COMMAND;
        return new MetalException(fault, foundation.error(error));
    }
}
