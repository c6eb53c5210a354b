package io.hearth.bridge;

import com.google.gson.JsonObject;
import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.api.StatusJson;
import io.hearth.collective.Collective;
import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.OperationCounts;
import io.hearth.collective.Tensor;
import io.hearth.collective.Work;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.ReduceOp;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A trainer of the calling program, or a subgroup of its ranks. What may wait begins and returns its end as a future: slow calls (the wait
 * for peers, the start, steps) run one after the other, collectives in the order of their beginning, and so do the transfers of
 * each pair and direction.
 */
final class BridgeGroup {
    private final AutoDiscoveryBackend node;
    private final HearthConfig config;
    private final Lane slow = new Lane("hearth-bridge");
    private final Lane closing = new Lane("hearth-close"); // beside the slow calls, which may wait for others for long
    private final Map<Transfer, Lane> transfers = new ConcurrentHashMap<>();
    private final SharedNames shared = new SharedNames();
    private volatile String waiting = ""; // written by the slow lane, read anywhere
    private volatile @Nullable DistributedContext context; // written by the slow lane, read anywhere

    /** One direction between this rank and another. */
    private record Transfer(boolean sends, NodeId peer) {}

    private BridgeGroup(AutoDiscoveryBackend node, HearthConfig config, @Nullable DistributedContext context) {
        this.node = node;
        this.config = config;
        this.context = context;
    }

    /** Starts a trainer; see {@link HearthConfig#parse}. */
    static BridgeGroup open(String settings) throws SetupException {
        HearthConfig config = HearthConfig.parse(settings);
        return new BridgeGroup(AutoDiscoveryBackend.start(config), config, null);
    }

    CompletableFuture<Outcome> waitForPeers(int peers, Duration timeout) {
        return slow.run(() -> {
            try {
                return Outcome.of(node.waitForPeers(
                        peers, timeout, (found, wanted, why) -> waiting = found + " of " + wanted + " peers; " + why));
            } finally {
                waiting = "";
            }
        });
    }

    CompletableFuture<Outcome> start(int least, Duration timeout) {
        return slow.run(() -> {
            context = node.context(Math.max(1, least), timeout);
            return Outcome.of(ranks().isInGroup() ? ranks().worldSize() : 0);
        });
    }

    /** Makes a subgroup; its handle, or 0 for a rank that is not in the list. */
    CompletableFuture<Outcome> split(List<Integer> members) {
        DistributedContext ranks = ranks();
        return slow.run(() -> {
            Optional<DistributedContext> some = ranks.split(members);
            if (some.isEmpty()) {
                return Outcome.of(0);
            }
            return Outcome.of(BridgeState.GROUPS.add(() -> new BridgeGroup(node, config, some.get())));
        });
    }

    CompletableFuture<Outcome> beginStep() {
        DistributedContext ranks = ranks();
        return slow.run(() -> Outcome.of(ranks.beginStep()));
    }

    /** Begins a collective, after those that were begun before. */
    CompletableFuture<Outcome> begin(CollectiveOptions options, Collective<DistributedContext> call)
            throws CollectiveException, InterruptedException {
        return end(ranks().with(options).begin(call));
    }

    /** Begins a sum in place, likewise. The errors of a compressed one belong to its end, as those of other calls do. */
    CompletableFuture<Outcome> allReduce(CollectiveOptions options, Tensor values, ReduceOp op)
            throws CollectiveException, InterruptedException {
        boolean isPlain = options.compression().orElse(config.compression()).equals(CompressionStrategy.NONE);
        return isPlain
                ? end(ranks().with(options).allReduceAsync(values, op))
                : begin(options, ranks -> ranks.allReduce(values, op));
    }

    private static CompletableFuture<Outcome> end(Work work) {
        return work.completion().thenApply(Outcome::of).toCompletableFuture();
    }

    CompletableFuture<Outcome> send(Tensor values, int to) {
        DistributedContext ranks = ranks();
        NodeId peer = ranks.peer(to); // its rank may be another node's when the transfer runs
        return lane(new Transfer(true, peer)).run(() -> {
            ranks.send(values, peer);
            return Outcome.of(0);
        });
    }

    CompletableFuture<Outcome> receive(Tensor values, int from) {
        DistributedContext ranks = ranks();
        NodeId peer = ranks.peer(from);
        return lane(new Transfer(false, peer)).run(() -> {
            ranks.receive(values, peer);
            return Outcome.of(0);
        });
    }

    private Lane lane(Transfer transfer) {
        return transfers.computeIfAbsent(transfer, _ -> new Lane("hearth-transfer"));
    }

    /**
     * The collectives.
     *
     * @throws IllegalStateException if the group has not started
     */
    DistributedContext ranks() {
        DistributedContext started = context;
        if (started == null) {
            throw new IllegalStateException("the group '" + config.group() + "' has not started: call start first");
        }
        return started;
    }

    SharedNames shared() {
        return shared;
    }

    AutoDiscoveryBackend node() {
        return node;
    }

    /** The progress of a wait for peers, else the nodes found, in one line for people. */
    String progress() {
        String text = waiting;
        return text.isEmpty() ? node.status().explain() : text;
    }

    /** The node's status as the agent's API gives it, with {@code group}, and {@code rank} and {@code world_size} of a member. */
    String status() {
        JsonObject json = StatusJson.of(node.status());
        json.addProperty("group", config.group());
        DistributedContext started = context;
        if (started != null && started.isInGroup()) {
            json.addProperty("rank", started.rank());
            json.addProperty("world_size", started.worldSize());
        }
        return json.toString();
    }

    /** Bytes that all calls sent, or that the sums would have sent without compression. */
    long sentBytes(boolean dense) {
        CollectiveMetrics counted = ranks().metricsSnapshot();
        return dense
                ? counted.denseBytes()
                : counted.operations().values().stream()
                        .mapToLong(OperationCounts::sentBytes)
                        .sum();
    }

    /** Begins to leave; a slow call that still waits for others ends with an error. */
    CompletableFuture<Outcome> close() {
        return closing.run(() -> {
                    end(node::close);
                    return Outcome.of(0);
                })
                .whenComplete((_, _) -> closeLanes());
    }

    /** Ends everything at once; calls that are open end with an error. */
    void abort() {
        end(node::abort);
        closeLanes();
    }

    /** Ends the node, or of a subgroup only this rank's part in it. */
    private void end(Runnable ofNode) {
        DistributedContext started = context;
        if (started != null && started.isSubgroup()) {
            started.closeSubgroup();
        } else {
            ofNode.run();
            BridgeState.GROUPS.removeIf(subgroup -> subgroup.node.equals(node));
        }
    }

    private void closeLanes() {
        slow.close();
        closing.close();
        transfers.values().forEach(Lane::close);
    }
}
