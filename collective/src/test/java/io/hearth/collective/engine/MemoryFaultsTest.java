package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.EngineOptions;
import io.hearth.core.Clock;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shared memory that is cut off while a record in it is added: the peer is lost, the node lives. */
final class MemoryFaultsTest {
    @TempDir
    Path folder = Path.of("");

    /** Delivers each record in memory that is unmapped before it is read. */
    private final class CutOff implements StreamSource {
        private final StreamSource whole;

        CutOff(StreamSource whole) {
            this.whole = whole;
        }

        @Override
        public DataStream open(NodeId peer, StreamId id, Duration timeout) throws IOException, InterruptedException {
            return new ForwardingStream(whole.open(peer, id, timeout)) {
                private final ReceivedRecord shown = new ReceivedRecord();

                @Override
                public ReceivedRecord receive() throws IOException {
                    ReceivedRecord record = stream.receive();
                    if (record.length() == 0) {
                        return record;
                    }
                    return shown.show(
                            record.kind(),
                            record.chunk(),
                            record.collective(),
                            record.offset(),
                            gone(),
                            0,
                            record.length());
                }
            };
        }

        @Override
        public void endLoan() {
            whole.endLoan();
        }
    }

    private MemorySegment gone() throws IOException {
        try (var file = FileChannel.open(
                folder.resolve("ring"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 18, Arena.ofAuto());
            file.truncate(0);
            return mapped;
        }
    }

    @Tag("full")
    @Test
    void thePeerIsLostAndNothingFails() throws Exception {
        List<NodeId> nodes = IntStream.range(0, 2).mapToObj(TestGroup::node).toList();
        var fabric = new MemoryFabric();
        try (var group = new TestGroup(
                nodes,
                EngineOptions.DEFAULTS.within(Duration.ofSeconds(5)),
                List.of(),
                _ -> Engines.best().newReducer(),
                node -> node.equals(nodes.getFirst()) ? new CutOff(fabric.of(node)) : fabric.of(node),
                Clock.system())) {
            var running = group.start((_, context) -> context.allReduce(new float[300], ReduceOp.SUM));
            String told = group.awaitOne("broken 0");
            assertTrue(told.contains("cut off"), told);
            running.join();
            assertTrue(group.told.stream().noneMatch(line -> line.startsWith("failed")), group.told::toString);
        }
    }
}
