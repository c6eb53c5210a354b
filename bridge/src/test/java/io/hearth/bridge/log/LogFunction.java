package io.hearth.bridge.log;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** A function for log lines as a C program has, {@code hearth_log_function}. */
public final class LogFunction {
    private LogFunction() {}

    /** The address of the caller's static method {@code take} of that form, as long as the arena is open. */
    @SuppressWarnings("restricted") // the test is a C program
    public static MemorySegment of(MethodHandles.Lookup caller, Arena arena) throws ReflectiveOperationException {
        var take = caller.findStatic(
                caller.lookupClass(),
                "take",
                MethodType.methodType(
                        void.class, MemorySegment.class, long.class, MemorySegment.class, MemorySegment.class));
        return Linker.nativeLinker()
                .upcallStub(
                        take,
                        FunctionDescriptor.ofVoid(
                                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                        arena);
    }

    /** A line as its function gets it: the pointer of the program, the level, the logger and the text. */
    @SuppressWarnings("restricted") // as above
    public static String line(MemorySegment user, long level, MemorySegment logger, MemorySegment text) {
        return user.address() + " " + level + " " + logger.reinterpret(100).getString(0) + " "
                + text.reinterpret(1 << 16).getString(0);
    }
}
