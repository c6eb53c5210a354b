package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.exchange.DeadlineWatch;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Errors on an engine's own threads that no caller can handle: the engine ends, and every call throws the reason. */
final class FatalErrorsTest {
    private static final EngineOptions OPTIONS = EngineOptions.DEFAULTS.within(Duration.ofMinutes(1));

    /** A group in which point-to-point transfers of node 0 meet a class that cannot be loaded. */
    private static TestGroup group() {
        List<NodeId> nodes = IntStream.range(0, 2).mapToObj(TestGroup::node).toList();
        var fabric = new MemoryFabric();
        return new TestGroup(
                nodes,
                OPTIONS,
                List.of(),
                _ -> Engines.best().newReducer(),
                node -> {
                    StreamSource streams = fabric.of(node);
                    return (peer, id, timeout) -> {
                        if (node.equals(nodes.getFirst())) {
                            throw new NoClassDefFoundError("planted");
                        }
                        return streams.open(peer, id, timeout);
                    };
                },
                Clock.system());
    }

    @Test
    void anErrorOfAPairsThreadEndsTheEngineAndIsTold() throws Exception {
        try (var group = group()) {
            var values = MemorySegment.ofArray(new float[4]);
            var first = assertThrows(
                    CollectiveException.class,
                    () -> group.engine(0).send(values, DataType.FLOAT32, 1, CollectiveOptions.DEFAULTS));
            assertTrue(String.valueOf(first.getMessage()).contains("NoClassDefFoundError: planted"), first::toString);
            assertEquals("failed 0 java.lang.NoClassDefFoundError: planted", group.awaitOne("failed 0"));
            var next = assertThrows(
                    CollectiveException.class, () -> group.engine(0).barrier(CollectiveOptions.DEFAULTS));
            assertTrue(String.valueOf(next.getMessage()).contains("NoClassDefFoundError: planted"), next::toString);
        }
    }

    @Test
    void whatFailedForGoodSaysSoAtEveryCallAlsoAfterItWasRemoved() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            for (boolean called : List.of(false, true)) {
                CollectiveEngine engine = group.engine(called ? 1 : 0);
                var context = new DistributedContext(engine);
                if (called) {
                    var call = new CompletableFuture<CollectiveException>();
                    Thread caller = Thread.ofPlatform()
                            .start(() -> call.complete(assertThrows(
                                    CollectiveException.class, () -> context.allReduce(new float[3], ReduceOp.SUM))));
                    group.awaitFirstCall(List.of(group.nodes.get(1)));
                    engine.removed(new RemovedFromClusterException("out"));
                    assertEquals("out", call.get().getMessage());
                    caller.join();
                }
                engine.fail(new CollectiveException("stopped"));
                engine.fail(new CollectiveException("again"));
                for (int calls = 0; calls < 3; calls++) {
                    var next = assertThrows(CollectiveException.class, context::barrier);
                    assertEquals("stopped", next.getMessage());
                }
                assertEquals(
                        "stopped",
                        assertThrows(CollectiveException.class, context::beginStep)
                                .getMessage());
            }
        }
    }

    @Test
    void aWatchOverDeadlinesThatFailsIsTold() throws Exception {
        var told = new CompletableFuture<Throwable>();
        var error = new StackOverflowError("planted");
        try (var watch = new DeadlineWatch(
                "test",
                Clock.system(),
                () -> {
                    throw error;
                },
                told::complete)) {
            watch.arm(Clock.system().nanoTime());
            assertEquals(error, told.get());
        }
    }

    @Test
    void noErrorIsNobodysNews() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            group.start((_, context) -> context.barrier()).joinWell();
            assertEquals(
                    Map.of(), group.start((_, context) -> context.barrier()).join());
            assertTrue(group.told.stream().noneMatch(line -> line.startsWith("failed")), group.told::toString);
        }
    }
}
