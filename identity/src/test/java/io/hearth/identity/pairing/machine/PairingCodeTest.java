package io.hearth.identity.pairing.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PairingCodeTest {
    @Test
    void whatIsShownIsWhatIsTyped() {
        assertEquals("07-0000-0042", PairingCode.of(7, 42).text());
        assertEquals("99-9999-9999", PairingCode.of(99, 99_999_999).text());
        assertEquals(Optional.of(PairingCode.of(7, 42)), PairingCode.parse("07-0000-0042"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"4212345678", " 42 1234 5678\n", "42\u20131234\u20145678", "4-2-1-2-3-4-5-6-7-8", "42-12345678"})
    void spacesAndDashesDoNotMatter(String typed) {
        assertEquals(Optional.of(PairingCode.of(42, 12_345_678)), PairingCode.parse(typed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "42-1234-567",
                "42-1234-56789",
                "42-1234-567x",
                "42.1234.5678",
                "-",
                "\u0664\u0662\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668"
            })
    void whatIsNotTenDigitsIsNone(String typed) {
        assertEquals(Optional.empty(), PairingCode.parse(typed));
    }

    @Test
    void numbersOutOfRangeAreNoCode() {
        assertThrows(IllegalArgumentException.class, () -> PairingCode.of(100, 0));
        assertThrows(IllegalArgumentException.class, () -> PairingCode.of(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> PairingCode.of(0, 100_000_000));
        assertThrows(IllegalArgumentException.class, () -> PairingCode.of(0, -1));
    }

    @Test
    void itsTextIsShownOnPurposeOnly() {
        assertEquals("PairingCode[42-redacted]", PairingCode.of(42, 12_345_678).toString());
    }
}
