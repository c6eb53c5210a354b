package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EncodingTest {
    @ParameterizedTest
    @CsvSource({
        "v16@0:8, v@:",
        "Vv16@0:8, v@:",
        "r*16@0:8, *@:",
        "@24@0:8r*16, @@:*",
        "v40@0:8r^v16Q24Q32, v@:^vQQ",
        "@40@0:8@16@24o^@32, @@:@@^@",
        "v64@0:8{MTLSize=QQQ}16{?=QQQ}40, v@:{?=QQQ}{?=QQQ}",
        "^{__CFString=#*q}16@0:8, ^{?=#*q}@:",
        "^r{Point=dd}16@0:8, ^{?=dd}@:",
        "v24@0:8@?16, v@:@?",
        "{Outer={Inner=dd}Q}16@0:8, {?={Inner=dd}Q}@:",
        "B-32@0:8Q16, B@:Q"
    })
    void keepsWhatTheCallDependsOn(String declared, String expected) {
        assertEquals(expected, Encoding.parse(declared).toString());
    }

    @Test
    void aDescriptorFollowsFromTheTypes() {
        assertEquals(
                FunctionDescriptor.of(
                        ValueLayout.JAVA_BOOLEAN,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_DOUBLE),
                Encoding.parse("B@:Q^vd").descriptor());
        assertEquals(
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, Encoding.SIZE),
                Encoding.parse("v@:{?=QQQ}").descriptor());
    }

    @ParameterizedTest
    @EnumSource
    void aSelectorHasADescriptorAndAColonForEachArgument(Selector selector) {
        assertTrue(selector.encoding().descriptor().argumentLayouts().size() >= 2);
        assertEquals(List.of("@", ":"), selector.encoding().types().subList(1, 3));
        long colons = selector.text().chars().filter(c -> c == ':').count();
        assertEquals(colons, selector.encoding().types().size() - 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v@:{?=QQQ", "@@:^", "v@:[4i"})
    void refusesABrokenEncoding(String broken) {
        assertThrows(IllegalArgumentException.class, () -> Encoding.parse(broken));
    }

    @Test
    void refusesATypeThatHasNoLayoutHere() {
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> Encoding.parse("v@:f").descriptor())
                .toString();
        assertTrue(message.contains("'f'"), message);
    }
}
