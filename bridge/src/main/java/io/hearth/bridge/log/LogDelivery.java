package io.hearth.bridge.log;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Hands log lines to a function of the calling program. A thread of its own does that, because the program may be slow, such as Python,
 * whose one lock the function needs; a thread that logs never waits for it. Without a function, warnings go to standard error.
 */
public final class LogDelivery {
    private static final int LINES_MAX = 1_024;
    private static final long CALL_MAX_MILLIS = 2_000;

    private static final BlockingQueue<LogLine> LINES = new ArrayBlockingQueue<>(LINES_MAX);
    private static final AtomicLong LOST = new AtomicLong();
    private static final ReentrantLock CALLING = new ReentrantLock(); // held during a call of the program's function
    private static volatile int level = Level.WARN.toInt(); // written under the lock, read anywhere
    private static volatile boolean isTaken; // written under the lock, read anywhere
    private static @Nullable MethodHandle function; // under the lock
    private static MemorySegment user = MemorySegment.NULL; // under the lock
    private static @Nullable Thread thread; // under the lock

    private LogDelivery() {}

    /**
     * Sets the program's function in place of a former one, which is not called any more when this returns.
     *
     * @param least level of the lines that it gets, 0 to 40; without a function of those on standard error, 30 to 40
     * @param pointer {@code void (*)(void *user, int64_t level, const char *logger, const char *text)}, or null for none
     * @throws IllegalStateException a call of the former function does not end
     */
    public static void to(int least, MemorySegment pointer, MemorySegment passed) throws InterruptedException {
        if (!CALLING.tryLock(CALL_MAX_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("the log function has not returned for " + CALL_MAX_MILLIS + " ms");
        }
        try {
            isTaken = pointer.address() != 0;
            level = isTaken ? least : Math.max(least, Level.WARN.toInt());
            function = isTaken ? function(pointer) : null;
            user = passed;
            if (isTaken && thread == null) {
                thread = Thread.ofPlatform().daemon().name("hearth-log").start(LogDelivery::deliver);
            }
        } finally {
            CALLING.unlock();
        }
    }

    @SuppressWarnings("restricted") // a function of the calling program
    private static MethodHandle function(MemorySegment pointer) {
        return Linker.nativeLinker()
                .downcallHandle(
                        pointer,
                        FunctionDescriptor.ofVoid(
                                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    }

    /** The lowest level that the program wants. */
    static int level() {
        return level;
    }

    /** Queues a line; if too many wait, it is lost and counted. */
    static void add(LogLine line) {
        if (!isTaken) {
            System.err.println("hearth: " + line.text());
        } else if (!LINES.offer(line)) {
            LOST.incrementAndGet();
        }
    }

    private static void deliver() {
        try {
            while (true) {
                call(LINES.take());
                long lost = LINES.isEmpty() ? LOST.getAndSet(0) : 0;
                if (lost > 0) {
                    call(new LogLine(
                            Level.WARN.toInt(),
                            LogDelivery.class.getName(),
                            lost + " log lines were lost: too many at once"));
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private static void call(LogLine line) {
        CALLING.lock();
        try (Arena memory = Arena.ofConfined()) {
            MethodHandle taker = function;
            if (taker != null) {
                taker.invokeExact(
                        user,
                        (long) line.level(),
                        memory.allocateFrom(line.logger()),
                        memory.allocateFrom(line.text()));
            }
        } catch (Throwable bug) {
            throw new AssertionError("a C function throws nothing", bug);
        } finally {
            CALLING.unlock();
        }
    }
}
