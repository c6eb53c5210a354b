package io.hearth.coordinator.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.Tensor;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tensors in one array, and those of other workers beside them. */
final class ManifestTest {
    private static final Map<String, Tensor> TENSORS = Map.of(
            "w", Tensor.of(List.of(2, 2), 1, 2, 3, 4), "b", Tensor.vector(5, 6), "none", Tensor.of(List.of(0, 3)));

    @Test
    void tensorsAreInTheOrderOfNames() throws Exception {
        Manifest manifest = Manifest.of(TENSORS);
        assertArrayEquals(new float[] {5, 6, 1, 2, 3, 4}, manifest.flat(TENSORS));
        Map<String, Tensor> back = manifest.tensors(manifest.flat(TENSORS));
        Tensor w = Objects.requireNonNull(back.get("w"));
        assertEquals(List.of(2, 2), w.shape());
        assertArrayEquals(new float[] {1, 2, 3, 4}, w.data());
        assertEquals(0, Objects.requireNonNull(back.get("none")).data().length);
    }

    @Test
    void everyDifferenceIsNamed() throws Exception {
        Manifest manifest = Manifest.of(TENSORS);
        assertEquals(
                Optional.of("worker 1 has tensor w in shape [4], this worker in [2, 2]"),
                manifest.difference("worker 1", "w", List.of(4)));
        assertEquals(
                Optional.of("worker 1 has a tensor v, which this worker does not have"),
                manifest.difference("worker 1", "v", List.of(4)));
        var shapes = new TreeMap<String, List<Integer>>(Map.of("w", List.of(2, 2), "b", List.of(2)));
        assertEquals(
                Optional.of("worker 1 has no tensor none, which this worker has"),
                manifest.difference("worker 1", shapes));
        shapes.put("none", List.of(0, 3));
        assertEquals(Optional.empty(), manifest.difference("worker 1", shapes));
    }

    @Test
    void partsAreTakenInOrder() throws Exception {
        Manifest manifest = Manifest.of(TENSORS);
        float[] sum = manifest.flat(TENSORS);
        var intake = new Intake("worker 1", manifest, sum, true);
        assertEquals(Optional.empty(), intake.take("w", List.of(2, 2), 0, new float[] {10, 20, 30}));
        assertEquals(Optional.empty(), intake.take("b", List.of(2), 0, new float[] {1, 1}));
        assertEquals(
                Optional.of("worker 1 sent values 2 to 3 of tensor w, which has 4, after 3"),
                intake.take("w", List.of(2, 2), 2, new float[] {40}));
        assertTrue(intake.take("w", List.of(2, 2), 3, new float[] {40, 50}).isPresent());
        assertEquals(Optional.of("worker 1 has no tensor none, which this worker has"), intake.end());
        assertEquals(Optional.empty(), intake.take("none", List.of(0, 3), 0, new float[0]));
        assertEquals(Optional.of("worker 1 sent 3 of 4 values of tensor w"), intake.end());
        assertEquals(Optional.empty(), intake.take("w", List.of(2, 2), 3, new float[] {40}));
        assertEquals(Optional.empty(), intake.end());
        assertArrayEquals(new float[] {6, 7, 11, 22, 33, 44}, sum);
        var copy = new float[6];
        assertEquals(
                Optional.empty(),
                new Intake("worker 1", manifest, copy, false).take("b", List.of(2), 0, new float[] {8, 9}));
        assertArrayEquals(new float[] {8, 9, 0, 0, 0, 0}, copy);
    }

    @Test
    void sizesAreBounded() {
        assertThrows(IllegalArgumentException.class, () -> Tensor.of(List.of(2, 2), 1));
        assertThrows(IllegalArgumentException.class, () -> Tensor.of(List.of(-1, -1), 1));
        assertThrows(IllegalArgumentException.class, () -> Tensor.of(List.of(Integer.MAX_VALUE, Integer.MAX_VALUE), 1));
        for (Map<String, Tensor> bad : List.of(
                Map.of("", Tensor.vector()),
                Map.of("x".repeat(257), Tensor.vector()),
                Map.of("x", Tensor.of(Collections.nCopies(17, 1), 1)))) {
            var failed = assertThrows(ExchangeException.class, () -> Manifest.of(bad));
            assertEquals(ExchangeException.Reason.TOO_LARGE, failed.reason());
        }
    }

    @Test
    void aWorldIsThereWhenAllItsRanksAre() {
        assertEquals(Optional.empty(), World.of(0, 2, List.of("a"), List.of(1L)));
        assertEquals(Optional.empty(), World.of(0, 2, List.of("", "b"), List.of(0L, 2L)));
        assertEquals(Optional.empty(), World.of(2, 2, List.of("a", "b", "c"), List.of(1L, 2L, 3L)));
        assertEquals(
                Optional.of(new World(2, 1, List.of("a", "b"))),
                World.of(1, 2, List.of("a", "b", "c"), List.of(1L, 2L, 3L))); // one more does not matter
        assertEquals(Set.of(0, 2), World.missing(3, List.of("", "b")));
    }
}
