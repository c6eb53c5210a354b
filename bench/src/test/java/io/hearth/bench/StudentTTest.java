package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StudentTTest {
    /** Values from printed tables. */
    @ParameterizedTest(name = "{0} within, {1} degrees")
    @CsvSource({
        "0.95, 1, 12.7062",
        "0.95, 2, 4.3027",
        "0.95, 3, 3.1824",
        "0.95, 4, 2.7764",
        "0.95, 5, 2.5706",
        "0.95, 9, 2.2622",
        "0.95, 10, 2.2281",
        "0.95, 19, 2.0930",
        "0.95, 30, 2.0423",
        "0.95, 120, 1.9799",
        "0.95, 100000, 1.9600",
        "0.99, 9, 3.2498",
        "0.5, 1, 1.0000",
        "0, 7, 0"
    })
    void theQuantilesAreThoseOfTheTables(double probability, int degrees, double t) {
        assertEquals(t, StudentT.twoSided(probability, degrees), 6e-5);
    }

    @Test
    void whatNoTableHasIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> StudentT.twoSided(1, 3));
        assertThrows(IllegalArgumentException.class, () -> StudentT.twoSided(-0.1, 3));
        assertThrows(IllegalArgumentException.class, () -> StudentT.twoSided(Double.NaN, 3));
        assertThrows(IllegalArgumentException.class, () -> StudentT.twoSided(0.95, 0));
    }
}
