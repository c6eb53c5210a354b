package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BatchesTest {
    /** Sample i has the feature i and the label i. */
    private static Batch numbered(int count) {
        float[] features = new float[count];
        int[] labels = new int[count];
        for (int i = 0; i < count; i++) {
            features[i] = i;
            labels[i] = i;
        }
        return new Batch(1, features, labels, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void everyRankGetsTheSameNumberOfFullBatches(int worldSize) {
        var batches = new Batches(numbered(101), 5, 3, 1);
        for (int rank = 0; rank < worldSize; rank++) {
            List<Batch> own = list(batches, rank, worldSize);
            assertEquals(batches.steps(worldSize), own.size());
            assertEquals(3 * (101 / (5 * worldSize)), own.size());
            own.forEach(batch -> assertEquals(5, batch.size()));
        }
    }

    @Test
    void fourNodesSeeTheSameSamplesPerStepAsOneWithFourfoldBatches() {
        List<Batch> single = list(new Batches(numbered(101), 20, 2, 9), 0, 1);
        var shared = new Batches(numbered(101), 5, 2, 9);
        for (int step = 0; step < single.size(); step++) {
            var together = new ArrayList<Integer>();
            for (int rank = 0; rank < 4; rank++) {
                together.addAll(labels(list(shared, rank, 4).get(step)));
            }
            assertEquals(labels(single.get(step)), together, "step " + step);
        }
    }

    @Test
    void aPassShowsNoSampleTwice() {
        var seen = new HashSet<Integer>();
        for (int rank = 0; rank < 3; rank++) {
            for (Batch batch : new Batches(numbered(90), 10, 1, 4).shard(rank, 3)) {
                labels(batch).forEach(label -> seen.add(label));
            }
        }
        assertEquals(90, seen.size());
    }

    @Test
    void epochsAreShuffledAnewAndMarked() {
        List<Batch> all = list(new Batches(numbered(40), 40, 3, 4), 0, 1);
        assertEquals(List.of(0, 1, 2), all.stream().map(Batch::epoch).toList());
        assertNotEquals(labels(all.get(0)), labels(all.get(1)));
        assertNotEquals(labels(all.get(1)), labels(all.get(2)));
        assertNotEquals(
                labels(all.get(0)),
                labels(list(new Batches(numbered(40), 40, 3, 5), 0, 1).getFirst()));
    }

    @Test
    void oneEpochAloneIsTheSameAsWithinAll() {
        var batches = new Batches(numbered(50), 5, 3, 8);
        List<Batch> all = list(batches, 1, 2);
        List<Batch> second = list(batches.epoch(1), 1, 2);
        assertEquals(5, second.size());
        for (int step = 0; step < second.size(); step++) {
            assertEquals(labels(all.get(5 + step)), labels(second.get(step)));
            assertEquals(1, second.get(step).epoch());
        }
    }

    @Test
    void aShardCanBeWalkedAgain() {
        Iterable<Batch> shard = new Batches(numbered(20), 5, 1, 8).shard(0, 2);
        assertEquals(labels(shard.iterator().next()), labels(shard.iterator().next()));
    }

    @ParameterizedTest
    @CsvSource({"-1,4", "4,4", "0,0", "0,5", "0,2147483647"})
    void ranksOutOfRangeAndTooManyRanksAreRefused(int rank, int worldSize) {
        var batches = new Batches(numbered(20), 5, 1, 8);
        assertThrows(IllegalArgumentException.class, () -> batches.shard(rank, worldSize));
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,0", "-1,1"})
    void batchesNeedSamplesAndEpochs(int size, int epochs) {
        Batch samples = numbered(20);
        assertThrows(IllegalArgumentException.class, () -> new Batches(samples, size, epochs, 8));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3})
    void anEpochThatIsNotThereIsRefused(int epoch) {
        var batches = new Batches(numbered(20), 5, 3, 8);
        assertThrows(IllegalArgumentException.class, () -> batches.epoch(epoch));
    }

    private static List<Batch> list(Batches batches, int rank, int worldSize) {
        var list = new ArrayList<Batch>();
        batches.shard(rank, worldSize).forEach(list::add);
        return list;
    }

    private static List<Integer> labels(Batch batch) {
        var labels = new ArrayList<Integer>();
        for (int sample = 0; sample < batch.size(); sample++) {
            assertEquals((float) batch.label(sample), batch.feature(sample, 0), "features follow their label");
            labels.add(batch.label(sample));
        }
        return labels;
    }
}
