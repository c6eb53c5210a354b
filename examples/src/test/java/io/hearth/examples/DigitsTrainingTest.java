package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks by the resulting weights with which momentum a training steps. */
final class DigitsTrainingTest {
    private static final int EPOCHS = 2;
    private static final long SEED = 3;

    @ParameterizedTest
    @ValueSource(floats = {0, 0.5f, 0.9f})
    void theMomentumIsTheOneThatWasAskedFor(float momentum) throws Exception {
        assertEquals(byHand(momentum), trained(momentum));
    }

    @Test
    void withoutAWordItIsTheNetworksOwn() throws Exception {
        var outcome = DigitsTraining.train(LoneBackend.context(), EPOCHS, SEED, (_, _, _) -> {});
        assertEquals(byHand(0.9f), outcome.weightsSha256());
    }

    @Test
    void whatGivesMomentumItselfLeavesNoneToTheOptimiser() throws Exception {
        float dense = CompressionStrategy.NONE.momentumLeft(Mlp.MOMENTUM);
        float sparse = CompressionStrategy.parse("dgc").momentumLeft(Mlp.MOMENTUM);
        assertEquals(byHand(0.9f), trained(dense));
        assertEquals(byHand(0), trained(sparse));
        assertNotEquals(trained(dense), trained(sparse));
    }

    private static String trained(float momentum) throws CollectiveException {
        return DigitsTraining.train(LoneBackend.context(), EPOCHS, SEED, momentum, (_, _, _) -> {})
                .weightsSha256();
    }

    private static String byHand(float momentum) throws Exception {
        Mlp model = DigitsRecipe.model(SEED);
        float[] velocity = new float[model.parameters().length];
        float[] weights = model.parameters();
        for (Batch batch : DigitsRecipe.batches(Digits.load(), 1, EPOCHS, SEED).shard(0, 1)) {
            float[] gradients = model.gradients(batch);
            for (int i = 0; i < weights.length; i++) {
                velocity[i] = momentum * velocity[i] + gradients[i];
                weights[i] -= 0.03f * velocity[i];
            }
        }
        ByteBuffer bytes = ByteBuffer.allocate(weights.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(weights);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
    }
}
