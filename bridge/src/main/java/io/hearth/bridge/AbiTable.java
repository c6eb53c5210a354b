package io.hearth.bridge;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.List;

/**
 * The functions of the ABI in the order of {@code hearth.h}. New ones are added at the end; a change of an existing one raises {@link
 * #VERSION}.
 */
final class AbiTable {
    /** Number of the ABI. */
    static final long VERSION = 1;

    /** All functions, in order, named as in Java. Each returns an {@code int64_t}; of the arguments, l is an {@code int64_t}, p a pointer, d a double. */
    static final List<Function> FUNCTIONS = List.of(
            new Function(NodeFunctions.class, "lastError", "pl"),
            new Function(NodeFunctions.class, "libraryVersion", "pl"),
            new Function(NodeFunctions.class, "onLog", "lpp"),
            new Function(NodeFunctions.class, "wait", "llp"),
            new Function(NodeFunctions.class, "isDone", "l"),
            new Function(NodeFunctions.class, "open", "p"),
            new Function(NodeFunctions.class, "waitForPeers", "lll"),
            new Function(NodeFunctions.class, "start", "ll"),
            new Function(NodeFunctions.class, "close", "l"),
            new Function(NodeFunctions.class, "abort", "l"),
            new Function(NodeFunctions.class, "rank", "l"),
            new Function(NodeFunctions.class, "worldSize", "l"),
            new Function(NodeFunctions.class, "isInGroup", "l"),
            new Function(NodeFunctions.class, "status", "lpl"),
            new Function(NodeFunctions.class, "progress", "lpl"),
            new Function(NodeFunctions.class, "sentBytes", "ll"),
            new Function(NodeFunctions.class, "report", "llld"),
            new Function(CollectiveFunctions.class, "allReduce", "lpplllpp"),
            new Function(CollectiveFunctions.class, "broadcast", "lplll"),
            new Function(CollectiveFunctions.class, "allGather", "lplpll"),
            new Function(CollectiveFunctions.class, "allGatherUnequal", "lplplpl"),
            new Function(CollectiveFunctions.class, "reduceScatter", "lplll"),
            new Function(CollectiveFunctions.class, "reduce", "lpllll"),
            new Function(CollectiveFunctions.class, "gather", "lplplll"),
            new Function(CollectiveFunctions.class, "scatter", "lplplll"),
            new Function(CollectiveFunctions.class, "allToAll", "lpplll"),
            new Function(CollectiveFunctions.class, "barrier", "l"),
            new Function(CollectiveFunctions.class, "send", "lplll"),
            new Function(CollectiveFunctions.class, "receive", "lplll"),
            new Function(StateFunctions.class, "share", "lppl"),
            new Function(StateFunctions.class, "unshare", "lp"),
            new Function(StateFunctions.class, "shareBlob", "lpl"),
            new Function(StateFunctions.class, "setBlob", "lppl"),
            new Function(StateFunctions.class, "getBlob", "lppl"),
            new Function(StateFunctions.class, "resumeAt", "ll"),
            new Function(StateFunctions.class, "beginStep", "l"),
            new Function(NodeFunctions.class, "split", "lpl"));

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private AbiTable() {}

    /**
     * A function.
     *
     * @param holder has a static method of that name
     * @param arguments one letter for each
     */
    record Function(Class<?> holder, String name, String arguments) {
        FunctionDescriptor descriptor() {
            return FunctionDescriptor.of(
                    LONG, arguments.chars().mapToObj(Function::layout).toArray(MemoryLayout[]::new));
        }

        private static MemoryLayout layout(int letter) {
            return switch (letter) {
                case 'l' -> LONG;
                case 'p' -> ValueLayout.ADDRESS;
                case 'd' -> ValueLayout.JAVA_DOUBLE;
                default -> throw new AssertionError("no such argument: " + (char) letter);
            };
        }
    }

    /** Writes the table: its version, the number of its functions, and their addresses. */
    static MemorySegment write(Arena arena) {
        MemorySegment table = arena.allocate(LONG, FUNCTIONS.size() + 2L);
        table.setAtIndex(LONG, 0, VERSION);
        table.setAtIndex(LONG, 1, FUNCTIONS.size());
        for (int i = 0; i < FUNCTIONS.size(); i++) {
            table.setAtIndex(ValueLayout.ADDRESS, i + 2L, stub(FUNCTIONS.get(i), arena));
        }
        return table;
    }

    @SuppressWarnings("restricted") // the module exists to be called from C
    private static MemorySegment stub(Function function, Arena arena) {
        FunctionDescriptor types = function.descriptor();
        try {
            var method = MethodHandles.lookup().findStatic(function.holder(), function.name(), types.toMethodType());
            return Linker.nativeLinker().upcallStub(method, types, arena);
        } catch (ReflectiveOperationException absent) {
            throw new LinkageError("no method for " + function.name(), absent);
        }
    }
}
