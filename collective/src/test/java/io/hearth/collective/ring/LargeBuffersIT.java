package io.hearth.collective.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.OperatingSystemMXBean;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.exchange.InPlaceBackup;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.Transfer;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Buffers with more bytes than an int can count, between two ranks of this process through shared memory. */
@Tag("full")
@Timeout(300)
final class LargeBuffersIT {
    private static final long BYTES = (1L << 31) + 4099; // an odd number
    private static final long NEEDED_BYTES = 4 * BYTES + (1L << 30); // two vectors, and the same again for the backups
    private static final int PERIOD = 241; // bytes; prime, so that segments differ
    private static final int TABLE_BYTES = 128 * PERIOD;
    private static final CollectiveOptions PATIENT = CollectiveOptions.DEFAULTS.within(Duration.ofMinutes(4));

    private final NamespaceKeys keys = NetworkNamespace.create("large").keys();

    @BeforeEach
    void needsMemory() {
        long free = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getFreeMemorySize();
        assumeTrue(
                free >= NEEDED_BYTES,
                () -> "needs " + (NEEDED_BYTES >> 30) + " GiB of free memory, there are " + (free >> 30));
    }

    /** A period of bytes: byte i is {@code factor} times i, modulo 256. */
    private static MemorySegment table(int factor) {
        byte[] table = new byte[TABLE_BYTES];
        for (int i = 0; i < table.length; i++) {
            table[i] = (byte) (factor * (i % PERIOD));
        }
        return MemorySegment.ofArray(table);
    }

    private static void fill(MemorySegment values, int factor) {
        MemorySegment table = table(factor);
        for (long at = 0; at < values.byteSize(); at += TABLE_BYTES) {
            MemorySegment.copy(table, 0, values, at, Math.min(TABLE_BYTES, values.byteSize() - at));
        }
    }

    private static void require(MemorySegment values, int factor) {
        MemorySegment table = table(factor);
        for (long at = 0; at < values.byteSize(); at += TABLE_BYTES) {
            long length = Math.min(TABLE_BYTES, values.byteSize() - at);
            assertEquals(-1, MemorySegment.mismatch(values, at, at + length, table, 0, length), "from byte " + at);
        }
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        var task = new FutureTask<T>(work);
        Thread.ofPlatform().daemon(true).start(task);
        return task;
    }

    private List<RingBackend> ring() throws Exception {
        var nodes = new ArrayList<InetSocketAddress>();
        try (var one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (ServerSocket held : List.of(one, other)) {
                nodes.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), held.getLocalPort()));
            }
        }
        var opening = List.of(
                started(() -> RingBackend.open(new DistributedConfig(nodes, 0), keys)),
                started(() -> RingBackend.open(new DistributedConfig(nodes, 1), keys)));
        return List.of(
                opening.getFirst().get(40, TimeUnit.SECONDS), opening.getLast().get(40, TimeUnit.SECONDS));
    }

    /** One test for all, because allocating the memory takes longest on a busy machine. */
    @Test
    void aSumInPlaceASendAndTakingASumBackPassTheEndOfAnInt() throws Exception {
        List<RingBackend> ring = ring();
        try (Arena arena = Arena.ofShared()) {
            var values = List.of(arena.allocate(BYTES, 64), arena.allocate(BYTES, 64));
            var sums = new ArrayList<FutureTask<Boolean>>();
            for (RingBackend backend : ring) {
                sums.add(started(() -> {
                    MemorySegment own = values.get(backend.rank());
                    fill(own, backend.rank() + 1);
                    backend.allReduce(own, DataType.UINT8, ReduceOp.SUM, PATIENT);
                    require(own, 3);
                    return true;
                }));
            }
            for (FutureTask<Boolean> sum : sums) {
                assertTrue(sum.get(4, TimeUnit.MINUTES));
            }
            fill(values.get(0), 5);
            FutureTask<Boolean> receiving = started(() -> {
                ring.get(1).receive(values.get(1), DataType.UINT8, 0, PATIENT);
                return true;
            });
            ring.get(0).send(values.get(0), DataType.UINT8, 1, PATIENT);
            assertTrue(receiving.get(4, TimeUnit.MINUTES));
            require(values.get(1), 5);
            takeBack(values.get(0), values.get(1));
        } finally {
            ring.forEach(RingBackend::abort);
        }
    }

    /** Restores what a ring overwrote. */
    private static void takeBack(MemorySegment values, MemorySegment saved) {
        fill(values, 7);
        var undo = new InPlaceBackup(values, saved);
        var schedule = new RingAllReduce(1, 2, BYTES, 1, 128 * 1024);
        undo.begin(schedule);
        var transfer = new Transfer();
        for (long index = 0; index < schedule.sends(); index++) {
            schedule.send(index, transfer);
            undo.sending(transfer);
        }
        long last = 0;
        for (long index = 0; index < schedule.receives(); index++) {
            schedule.receive(index, transfer);
            undo.receiving(transfer);
            values.asSlice(transfer.offset(), transfer.length()).fill((byte) 1);
            last = Math.max(last, transfer.offset() + transfer.length());
        }
        assertEquals(BYTES, last);
        assertEquals(1, values.get(ValueLayout.JAVA_BYTE, BYTES - 1));
        undo.restore();
        require(values, 7);
    }
}
