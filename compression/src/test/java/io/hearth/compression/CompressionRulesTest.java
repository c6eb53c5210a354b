package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.CompressionRules.Form;
import io.hearth.compression.CompressionRules.Rule;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The compression that rules give a tensor, and the text form of rules. */
final class CompressionRulesTest {
    private static final String TEXT = "rules:none@1d/int8:32,rounding=nearest@below=65536/powersgd:4@2d@from=70000";

    @ParameterizedTest(name = "{0} dimensions, {1} values: {2}")
    @CsvSource({
        "0, 1, none",
        "1, 1000000, none",
        "2, 65535, 'int8:32,rounding=nearest'",
        "-1, 65535, 'int8:32,rounding=nearest'",
        "2, 65536, none",
        "2, 69999, none",
        "2, 70000, powersgd:4",
        "4, 70000, powersgd:4",
        "-1, 70000, powersgd:4"
    })
    void theFirstRuleThatFitsATensorIsIts(int dimensions, long count, String compression) {
        var rules = (CompressionRules) CompressionStrategy.parse(TEXT);
        OptionalInt known = dimensions < 0 ? OptionalInt.empty() : OptionalInt.of(dimensions);
        assertEquals(compression, rules.of(known, count).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                TEXT,
                "rules:topk:0.01",
                "rules:none@1d@from=5@below=6/auto:lossy",
                "rules:fp16@2d/auto:fp16+int8:64@below=100"
            })
    void rulesAreReadAsTheyAreWritten(String text) {
        CompressionStrategy read = CompressionStrategy.parse(text);
        assertEquals(text, read.text());
        assertEquals(read, CompressionStrategy.parse(read.text()));
    }

    @Test
    void rulesAreMadeInJavaToo() {
        var made = new CompressionRules(List.of(
                Rule.of(CompressionStrategy.NONE).with(Form.VECTOR),
                Rule.of(CompressionStrategy.parse("int8:32,rounding=nearest")).below(65_536),
                Rule.of(CompressionStrategy.parse("powersgd:4")).from(70_000).with(Form.MATRIX)));
        assertEquals(CompressionStrategy.parse(TEXT), made);
    }

    @Test
    void rulesStandInAListOfCompressions() {
        assertEquals(
                List.of("fp16", "rules:int8:32,residual=float32@2d/topk:0.01", "powersgd:4"),
                CompressionStrategy.parseList("fp16,rules:int8:32,residual=float32@2d/topk,powersgd:4").stream()
                        .map(CompressionStrategy::text)
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "rules | rules are written as",
                "rules:none@3d | '@3d' is no condition",
                "rules:none@ | '@' is no condition",
                "rules:none@below=many | '@below=many' is no condition",
                "rules:none@below=0 | got from=0 and below=0",
                "rules:none@from=-1 | got from=-1",
                "rules:none@from=7@below=7 | got from=7 and below=7",
                "rules:dgc | neither dgc",
                "rules:rules:none | nor other rules",
                "rules:int9 | unknown compression 'int9'",
                "rules: | unknown compression ''",
                "rules:none/ | unknown compression ''"
            })
    void whatIsNoRuleIsRefusedWithTheReason(String text, String expected) {
        String message =
                String.valueOf(assertThrows(IllegalArgumentException.class, () -> CompressionStrategy.parse(text))
                        .getMessage());
        assertTrue(message.contains(expected), message);
    }

    @Test
    void thereAreNeitherNoRulesNorTooMany() {
        Rule rule = Rule.of(CompressionStrategy.NONE);
        assertThrows(IllegalArgumentException.class, () -> new CompressionRules(List.of()));
        var most = Collections.nCopies(CompressionRules.RULES_MAX, rule);
        assertEquals(most, new CompressionRules(most).rules());
        var more = Collections.nCopies(CompressionRules.RULES_MAX + 1, rule);
        assertThrows(IllegalArgumentException.class, () -> new CompressionRules(more));
    }
}
