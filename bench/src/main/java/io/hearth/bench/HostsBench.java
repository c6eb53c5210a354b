package io.hearth.bench;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.ring.RingBackend;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.HearthException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Joins the results of ranks that users started by hand, each on its host. The ranks exchange their results by the measured collectives, so every rank has the same lines.
 */
public final class HostsBench {
    private HostsBench() {}

    /**
     * The results of all ranks. All ranks call it at the same time.
     *
     * @param own times of this rank, one entry for each size of the plan
     * @throws HearthException a rank is gone, or it sent other data than results of this plan
     */
    public static List<BenchLine> lines(RingBackend backend, BenchPlan plan, List<RankTimes> own)
            throws HearthException {
        var all = new ArrayList<RankTimes>();
        for (RankTimes times : own) {
            all.addAll(gather(backend, times));
        }
        return AllReduceBench.join(plan, all);
    }

    private static List<RankTimes> gather(RingBackend backend, RankTimes own) throws HearthException {
        byte[] text = own.toJson().toString().getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofShared()) {
            long length = longest(backend, arena, text.length);
            MemorySegment block = arena.allocate(length).fill((byte) ' ');
            MemorySegment.copy(text, 0, block, ValueLayout.JAVA_BYTE, 0, text.length);
            MemorySegment gathered = arena.allocate(length * backend.worldSize());
            backend.allGather(block, gathered, DataType.UINT8, CollectiveOptions.DEFAULTS);
            var all = new ArrayList<RankTimes>();
            for (int rank = 0; rank < backend.worldSize(); rank++) {
                byte[] line = gathered.asSlice(rank * length, length).toArray(ValueLayout.JAVA_BYTE);
                all.add(RankTimes.parse(new String(line, StandardCharsets.UTF_8)));
            }
            return all;
        } catch (IllegalArgumentException foreign) {
            throw new HearthException(
                    "a rank sent no valid results (" + foreign.getMessage() + "); run the same version on all hosts",
                    foreign);
        }
    }

    private static long longest(RingBackend backend, Arena arena, long own) throws CollectiveException {
        MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_LONG, own);
        backend.allReduce(length, DataType.INT64, ReduceOp.MAX, CollectiveOptions.DEFAULTS);
        return length.get(ValueLayout.JAVA_LONG, 0);
    }
}
