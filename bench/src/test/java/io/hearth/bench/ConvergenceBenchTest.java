package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.HearthException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConvergenceBenchTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static ConvergencePlan plan(String codecs, String seeds, int epochs, int threads) {
        return new ConvergencePlan(ConvergenceCodec.parseList(codecs), ConvergencePlan.seeds(seeds), epochs, threads);
    }

    private static List<ConvergenceLine> run(ConvergencePlan plan, MnistImages images) throws Exception {
        return ConvergenceBench.run(plan, images, _ -> {}, _ -> {});
    }

    @Tag("full")
    @Test
    void trainingLearnsWhatCanBeLearned() throws Exception {
        MnistImages images = IdxImages.read(folder, 800);
        for (ConvergenceLine line : run(plan("none,int8,topk:0.05,dgc:0.05,powersgd:2", "1", 12, 1), images)) {
            assertTrue(line.accuracy() > 90, line.toString());
        }
    }

    @Test
    void linesComeInThePlansOrderAndAreTheSameWhateverRunsBesideThem() throws Exception {
        MnistImages images = IdxImages.read(folder, 200);
        var finished = new ConcurrentLinkedQueue<ConvergenceLine>();
        var told = new ArrayList<ConvergenceLine>();
        List<ConvergenceLine> lines =
                ConvergenceBench.run(plan("topk:0.1,none", "5,3", 2, 4), images, finished::add, told::add);
        assertEquals(lines, told);
        assertEquals(Set.copyOf(lines), new HashSet<>(finished));
        assertEquals(
                List.of("topk:0.1 5", "topk:0.1 3", "none 5", "none 3"),
                lines.stream().map(line -> line.codec() + " " + line.seed()).toList());
        assertEquals(lines, run(plan("topk:0.1,none", "5,3", 2, 1), images));
        assertNotEquals(lines.get(2).accuracy(), lines.get(3).accuracy());
    }

    /** A codec that reports NaN in all values. */
    private static final class NeverFinite implements Codec {
        @Override
        public String name() {
            return "never";
        }

        @Override
        public boolean lossless() {
            return true;
        }

        @Override
        public long encodedBytesMax(long count) {
            return 1;
        }

        @Override
        public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
            throw new NonFiniteException(17, Float.NaN);
        }

        @Override
        public void decode(MemorySegment encoded, MemorySegment values, long count) {
            throw new AssertionError("nothing was encoded");
        }

        @Override
        public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) {
            throw new AssertionError("nothing was encoded");
        }
    }

    @Test
    void aTrainingThatDivergesIsOneLineThatNamesItAndEndsTheOthers() throws Exception {
        MnistImages images = IdxImages.read(folder, 200);
        var never = new ConvergenceCodec("never", new CompressionStrategy.Custom(new NeverFinite()));
        List<ConvergenceCodec> codecs = new ArrayList<>(List.of(never));
        codecs.addAll(ConvergenceCodec.parseList("none,int8"));
        var plan = new ConvergencePlan(codecs, List.of(2L), 1_000, 2);
        var finished = new ConcurrentLinkedQueue<ConvergenceLine>();
        HearthException told =
                assertThrows(HearthException.class, () -> ConvergenceBench.run(plan, images, finished::add, _ -> {}));
        String said = String.valueOf(told.getMessage());
        assertTrue(
                said.startsWith("training with never and seed 2 ended in epoch 1, step 1: ")
                        && said.contains("value 17"),
                said);
        assertEquals(1, said.lines().count(), said);
        assertTrue(finished.isEmpty(), finished.toString());
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0.1", "14, 20, 0.1", "15, 20, 0.01", "19, 20, 0.01", "2, 4, 0.1", "3, 4, 0.01", "1, 2, 0.1"})
    void theRateFallsForTheLastQuarter(int epoch, int epochs, float rate) {
        assertEquals(rate, ConvergenceRun.rate(epoch, epochs));
    }
}
