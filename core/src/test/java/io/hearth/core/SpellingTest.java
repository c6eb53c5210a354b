package io.hearth.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SpellingTest {
    @ParameterizedTest
    @CsvSource({"trian, train", "statuss, status", "plam, plan", "'', man", "man, man", "doctro, doctor"})
    void theNearestNameIsWhatWasMeant(String word, String meant) {
        assertEquals(
                meant,
                Stream.of("doctor", "man", "plan", "status", "train")
                        .min(Spelling.byNearness(word))
                        .orElseThrow());
    }
}
