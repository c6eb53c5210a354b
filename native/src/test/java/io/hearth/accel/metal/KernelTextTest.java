package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the kernels for text that a C++ compiler accepts and Metal's compiler would reject or compile to other bits. */
final class KernelTextTest {
    private static final Pattern POINTER = Pattern.compile("[\\w>]\\s*[*&]\\s+?\\w+\\s*[,)=;\\[]");
    private static final Pattern FLOAT_OPERATION =
            Pattern.compile("as_type<float>\\([^()]*\\)\\s*[-+*/]|\\bfloat\\(.*?\\) \\*");
    private static final Pattern FLOAT_DIVISION =
            Pattern.compile("(?:as_type<float>|lifted|\\bfloat)\\([^()]*\\)\\s*/|/\\s*(?:as_type<float>|lifted)\\(");
    private static final Pattern LIBRARY = Pattern.compile(
            "\\b(?:exp|exp2|exp10|log|log2|log10|pow|powr|sqrt|rsqrt|sin|cos|fma|mad)\\s*\\(|\\b(?:simd|quad)_\\w+|\\bfast::");
    private static final Pattern UNSUFFIXED = Pattern.compile("\\b\\d+\\.\\d*(?![\\d.f])|\\b\\d+\\.\\d*[eE]");

    /** The complaints, one line each. */
    private static List<String> complaints(String text) {
        var complaints = new ArrayList<String>();
        if (!text.contains("#pragma METAL fp contract(off)")) {
            complaints.add("contraction is not switched off");
        }
        for (String line : text.lines().map(line -> line.replaceAll("//.*", "")).toList()) {
            if (POINTER.matcher(line).find()
                    && !line.matches(".*\\b(?:device|constant|threadgroup|thread)\\b.*")
                    && line.matches(".*\\b(?:uint|ushort|uchar|int|Bits|\\w*Job|float)\\b\\s*[*&].*")) {
                complaints.add("no address space: " + line);
            }
            if (FLOAT_OPERATION.matcher(line).results().count() > 1) {
                complaints.add("more than one operation, may be contracted: " + line);
            }
            if (line.contains("threadgroup_barrier(") && !line.contains("mem_flags::mem_threadgroup")) {
                complaints.add("a barrier that fences nothing: " + line);
            }
            if (FLOAT_DIVISION.matcher(line).find()) {
                complaints.add("a division that may be an approximation: " + line);
            }
            if (LIBRARY.matcher(line).find()) {
                complaints.add("a function that differs among GPUs: " + line);
            }
            if (line.matches(".*\\b(?:double|half|long double)\\b(?! *_).*")
                    || UNSUFFIXED.matcher(line).find()) {
                complaints.add("a type that a GPU has not, or flushes: " + line);
            }
        }
        return complaints;
    }

    @Test
    void theKernelsKeepTheRules() {
        assertEquals(List.of(), complaints(KernelSource.text()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#pragma METAL fp contract(off)|#pragma once",
                "as_type<float>(a) + as_type<float>(b)|as_type<float>(a) * as_type<float>(b) + as_type<float>(a)",
                "device Bits* target|Bits* target",
                "device const uint* a|const uint* a",
                "lifted(a) + lifted(b)|fma(lifted(a), 1.0f, lifted(b))",
                "device uchar* body|uchar* body",
                "constant hearth::LevelJob& job|hearth::LevelJob& job",
                "inline float lifted|inline double lifted",
                "precise::divide(lifted(value), lifted(scale))|lifted(value) / lifted(scale)",
                "precise::divide(as_type<float>(value), as_type<float>(scale))|as_type<float>(value) / as_type<float>(scale)",
                "mem_flags::mem_threadgroup|mem_flags::mem_none",
                "* as_type<float>(TWO_TO_MINUS_24)|* 5.9604644775390625e-8"
            })
    void aTextThatBreaksOneIsFound(String from, String to) {
        String text = KernelSource.text();
        String broken = text.replace(from, to);
        assertFalse(broken.equals(text), "the change is in the text");
        assertFalse(complaints(broken).isEmpty(), "not found");
    }

    @Test
    void everyFunctionOfTheTextIsAKernelOfTheTableAndTheOtherWayRound() {
        List<String> written = Pattern.compile("kernel void (\\w+)\\(")
                .matcher(KernelSource.text())
                .results()
                .map(match -> match.group(1))
                .sorted()
                .toList();
        assertEquals(
                written,
                Stream.of(Kernel.values()).map(Kernel::function).sorted().toList());
    }
}
