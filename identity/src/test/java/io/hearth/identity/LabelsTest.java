package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LabelsTest {
    static String[][] labels() {
        return new String[][] {
            {"kitchen-mac", "kitchen-mac"},
            {"Jörg's Büro 研究室 🖥", "Jörg's Büro 研究室 🖥"},
            {"", ""},
            {" \t\n ", ""},
            {"  two \t\r\n words  ", "two words"},
            {"red\u001b[31m", "red[31m"},
            {"clip\u001b]52;c;aGk=\u0007board", "clip]52;c;aGk=board"},
            {"c1\u009b31m\u0085next", "c131mnext"},
            {"\u202egnp.exe", "gnp.exe"},
            {"a\u2066b\u2069c\u200ed\u200fe\u061cf", "abcdef"},
            {"zero\u200bwidth\ufeff\u00ad", "zerowidth"},
            {"line\u2028paragraph\u2029end", "line paragraph end"},
            {"half \ud83d of a pair", "half of a pair"},
            {"private \ue000 use", "private use"},
            {"\udb40\udc41tag", "tag"},
            {"null\0byte", "nullbyte"},
            {"x".repeat(10_000), "x".repeat(63)},
            {"🖥".repeat(100), "🖥".repeat(63)},
            {"x".repeat(62) + " y", "x".repeat(62) + "y"},
        };
    }

    @ParameterizedTest
    @MethodSource("labels")
    void whatCouldSteerATerminalIsRemoved(String raw, String clean) {
        assertEquals(clean, Labels.clean(raw));
    }

    @Test
    void anyTextBecomesShortVisibleAndStaysSo() {
        var random = new SplittableRandom(33);
        for (int round = 0; round < 20_000; round++) {
            var raw = new StringBuilder();
            for (int i = random.nextInt(90); i > 0; i--) {
                raw.append((char) random.nextInt(random.nextBoolean() ? 0x100 : 0x10000));
            }
            String clean = Labels.clean(raw.toString());
            assertTrue(clean.codePointCount(0, clean.length()) <= Labels.CHARACTERS_MAX);
            assertTrue(clean.getBytes(StandardCharsets.UTF_8).length <= 252);
            assertTrue(clean.codePoints().noneMatch(Character::isISOControl));
            assertEquals(clean, Labels.clean(clean));
        }
    }
}
