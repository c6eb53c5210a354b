package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.EngineOptions;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.ReduceOp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Time traces of compressed sums: they count each moment of a thread once, and codecs under their own names. */
final class CodecPhasesTest {
    private static final int SMALL = 1 << 10;
    private static final int LARGE = 1 << 19;

    private record Span(Phase phase, long bytes, long sinceNanos, long untilNanos) {}

    /** The traces of one rank's engine, by thread. */
    private static final class Told implements CollectiveTrace {
        private final Map<Thread, List<Span>> spans = new HashMap<>();
        private final List<Collective> ended = new ArrayList<>();

        @Override
        public synchronized void segment(
                long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
            spans.computeIfAbsent(Thread.currentThread(), _ -> new ArrayList<>())
                    .add(new Span(phase, bytes, sinceNanos, untilNanos));
        }

        @Override
        public synchronized void ended(Collective collective) {
            ended.add(collective);
        }

        synchronized Set<Phase> phases() {
            var phases = EnumSet.noneOf(Phase.class);
            spans.values().forEach(some -> some.forEach(span -> phases.add(span.phase)));
            return phases;
        }

        synchronized void checkEachMomentCountsOnce() {
            for (List<Span> some : spans.values()) {
                some.sort(Comparator.comparingLong(Span::sinceNanos));
                for (int i = 1; i < some.size(); i++) {
                    assertTrue(
                            some.get(i).sinceNanos >= some.get(i - 1).untilNanos,
                            some.get(i - 1) + " overlaps " + some.get(i));
                }
            }
        }

        synchronized void checkSums() {
            for (Phase phase : Phase.values()) {
                long nanos = spans.values().stream()
                        .flatMap(List::stream)
                        .filter(span -> span.phase == phase)
                        .mapToLong(span -> span.untilNanos - span.sinceNanos)
                        .sum();
                assertEquals(
                        nanos,
                        ended.stream()
                                .mapToLong(call -> call.phaseNanos().getOrDefault(phase, 0L))
                                .sum(),
                        phase.name());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "none, AUTO",
        "fp16, AUTO",
        "int8, AUTO",
        "int8, RING",
        "'int8,nonfinite=dense', AUTO",
        "int4, DIRECT",
        "int4, RING",
        "topk:0.1, AUTO",
        "'topk:1,bits=32', AUTO",
        "randomk:0.1, AUTO",
        "dgc:0.1, AUTO",
        "powersgd, AUTO"
    })
    void codecsHaveTheirOwnPhases(String compression, AllReduceStrategy way) throws Exception {
        var options = CollectiveOptions.DEFAULTS.by(way).as(CompressionStrategy.parse(compression));
        for (int world : new int[] {2, 3}) {
            for (int count : new int[] {SMALL, LARGE}) {
                var all = new ArrayList<Told>();
                try (var group = new TestGroup(world, EngineOptions.DEFAULTS)) {
                    for (int rank = 0; rank < world; rank++) {
                        all.add(new Told());
                        group.engine(rank).trace(all.get(rank));
                    }
                    group.start((rank, context) -> {
                                float[] values = new float[count];
                                for (int i = 0; i < count; i++) {
                                    values[i] = (i % 37 - 18) * (rank + 1);
                                }
                                context.with(options).allReduce(values, ReduceOp.SUM);
                            })
                            .joinWell();
                }
                for (Told told : all) {
                    var codecs = EnumSet.of(Phase.ENCODE, Phase.DECODE);
                    codecs.retainAll(told.phases());
                    Set<Phase> expected = compression.equals("none")
                            ? EnumSet.noneOf(Phase.class)
                            : EnumSet.of(Phase.ENCODE, Phase.DECODE);
                    assertEquals(expected, codecs, () -> count + " values, " + world + " ranks");
                    assertTrue(told.phases().containsAll(EnumSet.of(Phase.SEND, Phase.RECEIVE)));
                    told.checkEachMomentCountsOnce();
                    told.checkSums();
                }
            }
        }
    }
}
