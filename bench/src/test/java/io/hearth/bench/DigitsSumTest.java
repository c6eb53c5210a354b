package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.examples.Batch;
import io.hearth.examples.Batches;
import io.hearth.examples.Digits;
import io.hearth.examples.DigitsRecipe;
import io.hearth.examples.Mlp;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole trainings of four nodes: about the same number of the 180 test images is right as with one node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DigitsSumTest {
    private static final int NODES = 4;

    private final Digits digits = Digits.load();
    private final SortedMap<Long, Integer> rightOnOneNode = new TreeMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 5})
    void fourNodesEndLikeOneOfTheSameGlobalBatch(long seed) throws Exception {
        assertEquals(single(seed), train(seed, NODES, "none"));
    }

    @ParameterizedTest
    @CsvSource({"1,int8", "1,topk"})
    void compressionCostsAtMostTwoImages(long seed, String compression) throws Exception {
        int dense = single(seed);
        int compressed = train(seed, NODES, compression);
        assertTrue(
                Math.abs(compressed - dense) <= 2,
                compression + " with seed " + seed + ": " + compressed + " right, dense " + dense);
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "2,int8",
        "5,int8",
        "1,'int8,nonfinite=dense'",
        "5,'fp16,nonfinite=dense'",
        "2,topk",
        "3,topk",
        "4,topk",
        "5,topk"
    })
    void compressionCostsAtMostTwoImagesWithOtherSeeds(long seed, String compression) throws Exception {
        compressionCostsAtMostTwoImages(seed, compression);
    }

    private int single(long seed) throws Exception {
        Integer known = rightOnOneNode.get(seed);
        int right = known == null ? train(seed, 1, "none") : known;
        rightOnOneNode.put(seed, right);
        return right;
    }

    private int train(long seed, int nodes, String compression) throws Exception {
        Mlp model = DigitsRecipe.model(seed);
        Batches batches = DigitsRecipe.batches(digits, nodes, DigitsRecipe.EPOCHS, seed);
        List<Iterator<Batch>> shards = IntStream.range(0, nodes)
                .mapToObj(rank -> batches.shard(rank, nodes).iterator())
                .toList();
        float[][] gradients = new float[nodes][model.parameters().length];
        var codec = ConvergenceCodec.parseList(compression).getFirst();
        try (var sum = new EngineSum(codec, nodes, model.matrices(), model.parameters().length)) {
            for (int step = batches.steps(nodes); step > 0; step--) {
                for (int rank = 0; rank < nodes; rank++) {
                    model.gradients(shards.get(rank).next(), gradients[rank]);
                }
                sum.mean(gradients);
                model.step(gradients[0]);
            }
        }
        return model.right(digits.test());
    }
}
