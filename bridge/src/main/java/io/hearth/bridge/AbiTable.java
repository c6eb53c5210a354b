package io.hearth.bridge;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
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
            new Function(
                    "lastError", "pl", (text, capacity, _, _, _, _, _) -> NodeFunctions.lastError(at(text), capacity)),
            new Function(
                    "libraryVersion",
                    "pl",
                    (text, capacity, _, _, _, _, _) -> NodeFunctions.libraryVersion(at(text), capacity)),
            new Function(
                    "onLog",
                    "lpp",
                    (level, function, user, _, _, _, _) -> NodeFunctions.onLog(level, at(function), at(user))),
            new Function(
                    "wait",
                    "llp",
                    (call, millis, outcome, _, _, _, _) -> NodeFunctions.wait(call, millis, at(outcome))),
            new Function("isDone", "l", (call, _, _, _, _, _, _) -> NodeFunctions.isDone(call)),
            new Function("open", "p", (settings, _, _, _, _, _, _) -> NodeFunctions.open(at(settings))),
            new Function(
                    "waitForPeers",
                    "lll",
                    (group, peers, millis, _, _, _, _) -> NodeFunctions.waitForPeers(group, peers, millis)),
            new Function(
                    "start", "lll", (group, least, millis, _, _, _, _) -> NodeFunctions.start(group, least, millis)),
            new Function("close", "l", (group, _, _, _, _, _, _) -> NodeFunctions.close(group)),
            new Function("abort", "l", (group, _, _, _, _, _, _) -> NodeFunctions.abort(group)),
            new Function("rank", "l", (group, _, _, _, _, _, _) -> NodeFunctions.rank(group)),
            new Function("worldSize", "l", (group, _, _, _, _, _, _) -> NodeFunctions.worldSize(group)),
            new Function("isInGroup", "l", (group, _, _, _, _, _, _) -> NodeFunctions.isInGroup(group)),
            new Function(
                    "status",
                    "lpl",
                    (group, text, capacity, _, _, _, _) -> NodeFunctions.status(group, at(text), capacity)),
            new Function(
                    "progress",
                    "lpl",
                    (group, text, capacity, _, _, _, _) -> NodeFunctions.progress(group, at(text), capacity)),
            new Function("sentBytes", "ll", (group, dense, _, _, _, _, _) -> NodeFunctions.sentBytes(group, dense)),
            new Function(
                    "report",
                    "llld",
                    (group, step, steps, _, _, _, loss) -> NodeFunctions.report(group, step, steps, loss)),
            new Function(
                    "allReduce",
                    "lpplllpp",
                    (group, input, output, bytes, type, op, codec, name) -> CollectiveFunctions.allReduce(
                            group, at(input), at(output), bytes, type, op, at(codec), at(name))),
            new Function(
                    "broadcast",
                    "lplll",
                    (group, values, bytes, type, root, _, _) ->
                            CollectiveFunctions.broadcast(group, at(values), bytes, type, root)),
            new Function(
                    "allGather",
                    "lplpll",
                    (group, block, blockBytes, gathered, bytes, type, _) ->
                            CollectiveFunctions.allGather(group, at(block), blockBytes, at(gathered), bytes, type)),
            new Function(
                    "allGatherUnequal",
                    "lplplpl",
                    (group, block, blockBytes, gathered, bytes, counts, type, _) ->
                            CollectiveFunctions.allGatherUnequal(
                                    group, at(block), blockBytes, at(gathered), bytes, at(counts), type)),
            new Function(
                    "reduceScatter",
                    "lplll",
                    (group, values, bytes, type, op, _, _) ->
                            CollectiveFunctions.reduceScatter(group, at(values), bytes, type, op)),
            new Function(
                    "reduce",
                    "lpllll",
                    (group, values, bytes, type, op, root, _) ->
                            CollectiveFunctions.reduce(group, at(values), bytes, type, op, root)),
            new Function(
                    "gather",
                    "lplplll",
                    (group, block, blockBytes, gathered, bytes, type, root, _) ->
                            CollectiveFunctions.gather(group, at(block), blockBytes, at(gathered), bytes, type, root)),
            new Function(
                    "scatter",
                    "lplplll",
                    (group, blocks, bytes, block, blockBytes, type, root, _) ->
                            CollectiveFunctions.scatter(group, at(blocks), bytes, at(block), blockBytes, type, root)),
            new Function(
                    "allToAll",
                    "lpplll",
                    (group, blocks, received, bytes, count, type, _) ->
                            CollectiveFunctions.allToAll(group, at(blocks), at(received), bytes, count, type)),
            new Function("barrier", "l", (group, _, _, _, _, _, _) -> CollectiveFunctions.barrier(group)),
            new Function(
                    "send",
                    "lplll",
                    (group, values, bytes, type, to, _, _) ->
                            CollectiveFunctions.send(group, at(values), bytes, type, to)),
            new Function(
                    "receive",
                    "lplll",
                    (group, values, bytes, type, from, _, _) ->
                            CollectiveFunctions.receive(group, at(values), bytes, type, from)),
            new Function(
                    "share",
                    "lppl",
                    (group, name, pairs, count, _, _, _) -> StateFunctions.share(group, at(name), at(pairs), count)),
            new Function("unshare", "lp", (group, name, _, _, _, _, _) -> StateFunctions.unshare(group, at(name))),
            new Function(
                    "shareBlob",
                    "lpl",
                    (group, name, bytesMax, _, _, _, _) -> StateFunctions.shareBlob(group, at(name), bytesMax)),
            new Function(
                    "setBlob",
                    "lppl",
                    (group, name, bytes, length, _, _, _) ->
                            StateFunctions.setBlob(group, at(name), at(bytes), length)),
            new Function(
                    "getBlob",
                    "lppl",
                    (group, name, bytes, capacity, _, _, _) ->
                            StateFunctions.getBlob(group, at(name), at(bytes), capacity)),
            new Function("resumeAt", "ll", (group, step, _, _, _, _, _) -> StateFunctions.resumeAt(group, step)),
            new Function("beginStep", "l", (group, _, _, _, _, _, _) -> StateFunctions.beginStep(group)),
            new Function(
                    "split", "lpl", (group, ranks, count, _, _, _, _) -> NodeFunctions.split(group, at(ranks), count)));

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private AbiTable() {}

    /** The Java code of a function. */
    sealed interface Code {}

    /**
     * Code that finds all its arguments in registers: of whole numbers and pointers the first six, and of floating-point numbers the first one.
     * An argument that the caller did not pass has any value.
     */
    non-sealed interface InRegisters extends Code {
        long call(long a, long b, long c, long d, long e, long f, double x);
    }

    /** Code with seven or eight whole numbers and pointers. Of those, x86-64 has two on the stack; the eighth may be anything, as above. */
    non-sealed interface OnStack extends Code {
        long call(long a, long b, long c, long d, long e, long f, long g, long h);
    }

    /**
     * A function.
     *
     * @param arguments one letter for each
     */
    record Function(String name, String arguments, Code code) {
        Function(String name, String arguments, InRegisters code) {
            this(name, arguments, (Code) code);
        }

        Function(String name, String arguments, OnStack code) {
            this(name, arguments, (Code) code);
        }

        /** The types that a caller passes. */
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
        var stubs = new Stubs();
        MemorySegment table = arena.allocate(LONG, FUNCTIONS.size() + 2L);
        table.setAtIndex(LONG, 0, VERSION);
        table.setAtIndex(LONG, 1, FUNCTIONS.size());
        for (int i = 0; i < FUNCTIONS.size(); i++) {
            table.setAtIndex(
                    ValueLayout.ADDRESS, i + 2L, stubs.of(FUNCTIONS.get(i).code(), arena));
        }
        return table;
    }

    private static MemorySegment at(long address) {
        return MemorySegment.ofAddress(address);
    }

    /**
     * Makes the stubs by which C calls Java. A stub reads its arguments where the calling conventions of x86-64 (System V) and AArch64 put
     * them, whatever the caller passes. Java makes classes for each new shape of stub, and in a process that starts they take longer than all
     * else here, so there are two shapes only.
     */
    static final class Stubs {
        private final Shape inRegisters =
                Shape.of(InRegisters.class, LONG, LONG, LONG, LONG, LONG, LONG, ValueLayout.JAVA_DOUBLE);
        private final Shape onStack = Shape.of(OnStack.class, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG);

        /** A stub that runs that code, as long as the arena lives. */
        @SuppressWarnings("restricted") // the module exists to be called from C
        MemorySegment of(Code code, Arena arena) {
            Shape shape = code instanceof InRegisters ? inRegisters : onStack;
            return Linker.nativeLinker().upcallStub(shape.call().bindTo(code), shape.types(), arena);
        }
    }

    private record Shape(MethodHandle call, FunctionDescriptor types) {
        static Shape of(Class<? extends Code> kind, MemoryLayout... arguments) {
            FunctionDescriptor types = FunctionDescriptor.of(LONG, arguments);
            try {
                return new Shape(MethodHandles.lookup().findVirtual(kind, "call", types.toMethodType()), types);
            } catch (ReflectiveOperationException absent) {
                throw new LinkageError("no method of " + kind, absent);
            }
        }
    }
}
