package io.hearth.bridge;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Calls the functions of the table as a C program does: by their addresses. */
final class AbiClient {
    /** Long enough for every call of a test that ends. */
    private static final long PATIENCE_MILLIS = 60_000;

    private final Map<String, MethodHandle> functions = new HashMap<>();
    private final Arena arena;

    AbiClient(Arena arena) {
        this.arena = arena;
        MemorySegment table = memory(Bridge.table(), (AbiTable.FUNCTIONS.size() + 2L) * Long.BYTES);
        if (table.get(ValueLayout.JAVA_LONG, 0) != AbiTable.VERSION
                || table.get(ValueLayout.JAVA_LONG, 8) != AbiTable.FUNCTIONS.size()) {
            throw new AssertionError("the table begins with other numbers");
        }
        for (int i = 0; i < AbiTable.FUNCTIONS.size(); i++) {
            AbiTable.Function function = AbiTable.FUNCTIONS.get(i);
            functions.put(function.name(), handle(table.getAtIndex(ValueLayout.ADDRESS, i + 2L), function));
        }
    }

    @SuppressWarnings("restricted") // the test is a C program
    private static MethodHandle handle(MemorySegment address, AbiTable.Function function) {
        return Linker.nativeLinker().downcallHandle(address, function.descriptor());
    }

    @SuppressWarnings("restricted") // as above
    static MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** Calls a function; a Java text becomes a C text, an int a long, null a null pointer. */
    long call(String name, Object... arguments) {
        var passed = new ArrayList<Object>();
        for (Object argument : arguments) {
            passed.add(
                    switch (argument) {
                        case String text -> arena.allocateFrom(text);
                        case Integer number -> (long) number;
                        default -> argument;
                    });
        }
        try {
            return (long) Objects.requireNonNull(functions.get(name), name).invokeWithArguments(passed);
        } catch (Throwable bug) {
            throw new AssertionError(name, bug);
        }
    }

    /** As {@link #call}; fails with the text of an error. */
    long ok(String name, Object... arguments) {
        long answer = call(name, arguments);
        if (answer < 0) {
            throw new AssertionError(name + " " + List.of(arguments) + ": " + answer + ", " + lastError());
        }
        return answer;
    }

    /** Waits for a call that {@link #ok} began. */
    long end(long call) {
        return end(call, MemorySegment.NULL);
    }

    long end(long call, MemorySegment outcome) {
        long answer = call("wait", call, PATIENCE_MILLIS, outcome);
        if (answer < 0) {
            throw new AssertionError("the call ended with " + answer + ", " + lastError());
        }
        return answer;
    }

    String lastError() {
        return text("lastError");
    }

    /** A text that a function writes. */
    String text(String name, Object... arguments) {
        MemorySegment buffer = arena.allocate(1 << 16);
        var all = new ArrayList<>(List.of(arguments));
        all.add(buffer);
        all.add(buffer.byteSize());
        long length = ok(name, all.toArray());
        return StandardCharsets.UTF_8
                .decode(buffer.asSlice(0, Math.min(length, buffer.byteSize())).asByteBuffer())
                .toString();
    }

    MemorySegment floats(float... values) {
        return arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
    }
}
