package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.Test;

/** Each test of vectors runs at least once. */
final class VectorWidthTest {
    private static final Pattern RUN = Pattern.compile("<hearth.vectorBits>(\\d+)</hearth.vectorBits>");

    @Test
    void aRunThatAsksForNoWidthIsNotSkipped() {
        assertTrue(VectorWidth.isPresent());
    }

    @Test
    void theFullRingHasARunForThisProcessorsWidth() throws Exception {
        String build = Files.readString(Path.of(System.getProperty("hearth.root", ".."), "native", "pom.xml"));
        Set<Integer> widths = RUN.matcher(build)
                .results()
                .map(run -> Integer.valueOf(run.group(1)))
                .collect(Collectors.toSet());
        int own = FloatVector.SPECIES_PREFERRED.vectorBitSize();
        assertTrue(widths.contains(own), () -> "no run has vectors of " + own + " bits, only " + widths);
    }
}
