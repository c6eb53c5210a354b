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
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The program from whose run Java writes an archive of loaded classes ({@code -XX:AOTCacheOutput}), so that later processes start faster.
 * Two trainers meet on the loopback interface and make the usual calls.
 */
public final class ArchiveRun {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ELEMENTS = 1 << 16;
    private static final int ROUNDS = 200;

    private ArchiveRun() {}

    /**
     * Runs once.
     *
     * @param arguments a folder for the homes of both trainers, which does not exist yet
     */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        if (Bridge.table() == 0) {
            throw new AssertionError("a table has an address");
        }
        var namespace = NetworkNamespace.create("archive");
        BridgeGroup first = open(folder.resolve("first"), namespace, "");
        BridgeGroup second = open(
                folder.resolve("second"),
                namespace,
                "peers=127.0.0.1:" + first.node().node().port());
        List<BridgeGroup> both = List.of(first, second);
        all(both.stream().map(group -> group.waitForPeers(1, PATIENCE)).toList());
        all(both.stream().map(group -> group.start(2)).toList());
        try (Arena arena = Arena.ofShared()) {
            for (BridgeGroup group : both) {
                Tensor weights = Tensor.of(arena.allocate(ELEMENTS), DataType.UINT8);
                group.shared().share(group.ranks(), "weights", List.of(weights));
            }
            all(both.stream().map(BridgeGroup::beginStep).toList());
            for (int round = 0; round < ROUNDS; round++) {
                CompletableFuture<Outcome> one = sum(first, arena, round);
                all(List.of(one, sum(second, arena, round)));
            }
            all(both.stream().map(BridgeGroup::close).toList());
        }
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

    private static CompletableFuture<Outcome> sum(BridgeGroup group, Arena arena, int round) throws Exception {
        Tensor values = Tensor.of(arena.allocate(round % 2 == 0 ? ELEMENTS : Long.BYTES), DataType.FLOAT32);
        return group.begin(CollectiveOptions.DEFAULTS, ranks -> ranks.allReduce(values, ReduceOp.AVG));
    }

    private static void all(List<CompletableFuture<Outcome>> calls) {
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
    }
}
