package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole trainings: how many of the 180 test images come out right. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DigitsAccuracyTest {
    private static final int NODES = 4;

    private final Digits digits = Digits.load();
    private final SortedMap<Long, Integer> rightOnOneNode = new TreeMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everySeedEndsMoreThanOnePointAbove95Percent(long seed) {
        int right = single(seed);
        assertTrue(right >= 0.962 * digits.test().size(), "seed " + seed + ": " + right + " right");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 5})
    void fourNodesEndLikeOneOfTheSameGlobalBatch(long seed) throws Exception {
        assertEquals(single(seed), shared(seed, "none"));
    }

    @ParameterizedTest
    @CsvSource({"1,int8", "2,int8", "5,int8", "1,topk", "2,topk", "3,topk", "4,topk", "5,topk"})
    void compressionWithErrorFeedbackCostsAtMostTwoImages(long seed, String compression) throws Exception {
        int dense = single(seed);
        int compressed = shared(seed, compression);
        assertTrue(
                Math.abs(compressed - dense) <= 2,
                compression + " with seed " + seed + ": " + compressed + " right, dense " + dense);
    }

    @Test
    void aClusterLargerThanTheGlobalBatchIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> DigitsRecipe.batches(digits, 65, 1, 1));
        assertEquals(
                1,
                DigitsRecipe.batches(digits, 64, 1, 1)
                        .shard(63, 64)
                        .iterator()
                        .next()
                        .size());
    }

    private int single(long seed) {
        return rightOnOneNode.computeIfAbsent(seed, this::trainOnOneNode);
    }

    private int trainOnOneNode(long seed) {
        Mlp model = DigitsRecipe.model(seed);
        for (Batch batch :
                DigitsRecipe.batches(digits, 1, DigitsRecipe.EPOCHS, seed).shard(0, 1)) {
            model.step(model.gradients(batch));
        }
        return model.right(digits.test());
    }

    private int shared(long seed, String compression) throws Exception {
        Mlp model = DigitsRecipe.model(seed);
        Batches batches = DigitsRecipe.batches(digits, NODES, DigitsRecipe.EPOCHS, seed);
        List<Iterator<Batch>> shards = new ArrayList<>();
        for (int rank = 0; rank < NODES; rank++) {
            shards.add(batches.shard(rank, NODES).iterator());
        }
        var strategy = CompressionStrategy.parse(compression);
        try (var cluster = new InProcessCluster(NODES, strategy, model.parameters().length)) {
            for (int step = batches.steps(NODES); step > 0; step--) {
                List<float[]> gradients = new ArrayList<>();
                for (Iterator<Batch> shard : shards) {
                    gradients.add(model.gradients(shard.next()));
                }
                model.step(cluster.average(gradients));
            }
        }
        return model.right(digits.test());
    }
}
