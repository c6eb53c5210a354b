package io.hearth.bridge;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.Tensor;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.lang.foreign.Arena;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The program from whose run Java writes an archive of loaded classes ({@code -XX:AOTCacheOutput}), so that later processes start faster.
 * Three trainers meet on the loopback interface, lose one of them, and make the usual calls. The archive has the profiles of this run too, so
 * later processes compile the code of steps and sums sooner.
 */
public final class ArchiveRun {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int STEPS = 120;
    private static final int BUCKETS = 6; // of a step, begun one behind the other
    private static final int BUCKET_BYTES = 4 << 20;
    private static final int SMALL = 160; // after the buckets of a step, one behind the other
    private static final int SMALL_BYTES = 4 << 10;

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
        BridgeGroup first = open(folder.resolve("first"), namespace, "");
        String peers = "peers=127.0.0.1:" + first.node().node().port();
        BridgeGroup second = open(folder.resolve("second"), namespace, peers);
        BridgeGroup lost = open(folder.resolve("lost"), namespace, peers);
        List<BridgeGroup> both = List.of(first, second);
        List<BridgeGroup> three = List.of(first, second, lost);
        all(three.stream().map(group -> group.waitForPeers(2, PATIENCE)).toList());
        all(three.stream().map(group -> group.start(3)).toList());
        try (Arena arena = Arena.ofShared()) {
            List<Tensor> weights =
                    three.stream().map(_ -> tensor(arena, BUCKET_BYTES)).toList();
            for (int i = 0; i < three.size(); i++) {
                BridgeGroup group = three.get(i);
                group.shared().share(group.ranks(), "weights", List.of(weights.get(i)));
            }
            all(three.stream().map(BridgeGroup::beginStep).toList());
            all(sums(three, weights, BUCKETS));
            List<CompletableFuture<Outcome>> waiting = sums(both, weights, 1);
            lost.abort();
            all(waiting);
            List<Tensor> small =
                    both.stream().map(_ -> tensor(arena, SMALL_BYTES)).toList();
            // In turns: code that knows one kind of sum only would be compiled again for the other.
            for (int step = 0; step < STEPS; step++) {
                all(sums(both, weights, BUCKETS));
                for (int call = 0; call < SMALL; call++) {
                    all(sums(both, small, 1));
                }
            }
            all(both.stream().map(BridgeGroup::close).toList());
        }
    }

    private static Tensor tensor(Arena arena, int bytes) {
        return Tensor.of(arena.allocate(bytes), DataType.FLOAT32);
    }

    /** Begins {@code count} sums on each of these trainers. */
    private static List<CompletableFuture<Outcome>> sums(List<BridgeGroup> trainers, List<Tensor> values, int count)
            throws Exception {
        var begun = new ArrayList<CompletableFuture<Outcome>>();
        for (int sum = 0; sum < count; sum++) {
            for (int i = 0; i < trainers.size(); i++) {
                Tensor own = values.get(i);
                begun.add(
                        trainers.get(i).begin(CollectiveOptions.DEFAULTS, ranks -> ranks.allReduce(own, ReduceOp.AVG)));
            }
        }
        return begun;
    }

    private static BridgeGroup open(Path folder, NetworkNamespace namespace, String more) throws Exception {
        HearthHome home = HearthHome.open(folder);
        NamespaceFile.in(home).add(namespace);
        return BridgeGroup.open("home=" + folder + "\ninterfaces=" + loopback() + "\n" + more);
    }

    private static String loopback() throws Exception {
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (each.isLoopback()) {
                return each.getName();
            }
        }
        throw new IllegalStateException("this machine has no loopback interface");
    }

    private static void all(List<CompletableFuture<Outcome>> calls) {
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
    }
}
