package io.hearth.bridge;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The program from whose run Java writes an archive of loaded classes ({@code -XX:AOTCacheOutput}), so that later processes start faster.
 * Three trainers meet on the loopback interface, lose one of them, and make the usual calls, by the functions that another language calls.
 * The archive has the profiles of this run too, so later processes compile the code of steps and sums sooner.
 */
public final class ArchiveRun {
    private static final long PATIENCE_MILLIS = 30_000;
    private static final long SLICE_MILLIS = 50; // between two waits a program looks for signals
    private static final int TRAINERS = 3;
    private static final int STEPS = 120;
    private static final int BUCKETS = 6; // of a step, begun one behind the other
    private static final int BUCKET_BYTES = 4 << 20;
    private static final int SMALL = 160; // after the buckets of a step, one after the other
    private static final int SMALL_BYTES = 4 << 10;
    private static final long TEXT_BYTES = 4096;
    private static final Arena MEMORY = Arena.global(); // a group that was aborted may still read its shared state
    private static final MemorySegment NULL = MemorySegment.NULL;

    private ArchiveRun() {}

    /**
     * Runs once.
     *
     * @param arguments a folder for the homes of the trainers, which does not exist yet
     */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        if (Bridge.table() == 0) {
            throw new AssertionError("a table has an address");
        }
        var namespace = NetworkNamespace.create("archive");
        var groups = new ArrayList<Long>();
        String peers = "";
        for (int i = 0; i < TRAINERS; i++) {
            long group = open(folder.resolve("home-" + i), namespace, peers);
            groups.add(group);
            peers = "peers=127.0.0.1:"
                    + BridgeState.GROUPS.get(groups.getFirst()).node().node().port();
        }
        try (var threads = Executors.newFixedThreadPool(TRAINERS)) {
            List<Callable<Void>> trainers = new ArrayList<>();
            for (long group : groups) {
                int steps = group == groups.getLast() ? 0 : STEPS;
                trainers.add(() -> {
                    train(group, steps);
                    return null;
                });
            }
            for (Future<Void> end : threads.invokeAll(trainers)) {
                end.get();
            }
        }
    }

    private static long open(Path folder, NetworkNamespace namespace, String more) throws Exception {
        HearthHome home = HearthHome.open(folder);
        NamespaceFile.in(home).add(namespace);
        return end(
                NodeFunctions.open(MEMORY.allocateFrom("home=" + folder + "\ninterfaces=" + loopback() + "\n" + more)));
    }

    private static String loopback() throws Exception {
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (each.isLoopback()) {
                return each.getName();
            }
        }
        throw new IllegalStateException("this machine has no loopback interface");
    }

    /** A trainer's life. One without steps ends as a killed process would, while the others wait for its next sum. */
    private static void train(long group, int steps) {
        MemorySegment weights = MEMORY.allocate(BUCKET_BYTES);
        MemorySegment small = MEMORY.allocate(SMALL_BYTES);
        MemorySegment text = MEMORY.allocate(TEXT_BYTES);
        end(NodeFunctions.waitForPeers(group, TRAINERS - 1L, PATIENCE_MILLIS));
        answer(NodeFunctions.progress(group, text, TEXT_BYTES));
        end(NodeFunctions.start(group, TRAINERS, PATIENCE_MILLIS));
        answer(NodeFunctions.rank(group));
        answer(NodeFunctions.worldSize(group));
        answer(NodeFunctions.isInGroup(group));
        end(CollectiveFunctions.barrier(group));
        end(CollectiveFunctions.broadcast(group, weights, BUCKET_BYTES, DataType.FLOAT32.number(), 0));
        answer(StateFunctions.share(group, MEMORY.allocateFrom("weights"), pair(weights), 1));
        end(StateFunctions.beginStep(group));
        sums(group, weights, BUCKETS);
        if (steps == 0) {
            answer(NodeFunctions.abort(group));
            return;
        }
        sums(group, weights, 1);
        // In turns: code that knows one kind of sum only would be compiled again for the other.
        for (int step = 0; step < steps; step++) {
            sums(group, weights, BUCKETS);
            for (int call = 0; call < SMALL; call++) {
                sums(group, small, 1);
            }
        }
        answer(NodeFunctions.status(group, text, TEXT_BYTES));
        end(NodeFunctions.close(group));
    }

    private static MemorySegment pair(MemorySegment memory) {
        return MEMORY.allocateFrom(ValueLayout.JAVA_LONG, memory.address(), memory.byteSize());
    }

    /** Begins {@code count} sums, one behind the other, and waits for all. */
    private static void sums(long group, MemorySegment values, int count) {
        var begun = new long[count];
        for (int i = 0; i < count; i++) {
            begun[i] = CollectiveFunctions.allReduce(
                    group,
                    values,
                    values,
                    values.byteSize(),
                    DataType.FLOAT32.number(),
                    ReduceOp.AVG.number(),
                    NULL,
                    NULL);
        }
        for (long call : begun) {
            end(call);
        }
    }

    /** Waits for the end of a call, and returns its answer. */
    private static long end(long call) {
        answer(call);
        long end;
        do {
            end = NodeFunctions.wait(call, SLICE_MILLIS, NULL);
        } while (end == Answers.NOT_YET);
        return answer(end);
    }

    private static long answer(long answer) {
        if (answer < 0) {
            throw new IllegalStateException(Answers.lastError());
        }
        return answer;
    }
}
