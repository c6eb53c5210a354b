package io.hearth.accel.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.EngineChoice.Sample;
import io.hearth.accel.KernelKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class CalibrationTest {
    private static final Instant TIME = Instant.parse("2026-11-21T04:05:06Z");
    private static final Calibration SOME = new Calibration(
            "Apple M2 Max",
            "java 25, Mac OS X 15.5",
            TIME,
            Optional.empty(),
            Map.of(KernelKind.ADD_INT8, 1L << 24),
            List.of(
                    new Sample(KernelKind.SUM_FLOAT32, 65_536, 2100, 180_000),
                    new Sample(KernelKind.ADD_INT8, 1 << 24, Long.MAX_VALUE / 10, 1)));

    @Test
    void whatWasWrittenIsRead() {
        assertEquals(Optional.of(SOME), Calibration.decode(SOME.encode()));
        Calibration failed = SOME.failed(TIME, "an earlier one").failed(TIME, "it gave up\n\u001b");
        assertEquals(Optional.of("2026-11-21T04:05:06Z it gave up??"), failed.failure());
        assertEquals(Optional.of(failed), Calibration.decode(failed.encode()));
        var none = new Calibration("", "", TIME, Optional.empty(), Map.of(), List.of());
        assertEquals(Optional.of(none), Calibration.decode(none.encode()));
    }

    @Test
    void itIsTextThatAPersonCanRead() {
        List<String> lines =
                new String(SOME.encode(), StandardCharsets.UTF_8).lines().toList();
        assertEquals("hearth-calibration 2", lines.get(0));
        assertEquals("hardware Apple M2 Max", lines.get(1));
        assertEquals("measured 2026-11-21T04:05:06Z", lines.get(3));
        assertEquals("metal add-int8 16777216", lines.get(4));
        assertEquals("sum-float32 65536 2100 180000", lines.get(5));
        assertEquals(8, lines.size());
    }

    @Test
    void theFullestFileIsWithinItsBound() {
        String longest = "µ".repeat(500);
        var largest = new Sample(KernelKind.HISTOGRAM_FLOAT32, 999_999_999_999_999_999L, 999_999_999_999_999_999L, 1);
        Map<KernelKind, Long> all =
                EngineChoice.from(Engine.VECTOR, 999_999_999_999_999_999L).metalFrom();
        var full = new Calibration(
                longest,
                longest,
                TIME,
                Optional.of(longest),
                all,
                Collections.nCopies(Calibration.SAMPLES_MAX, largest));
        assertTrue(full.encode().length <= Calibration.BYTES_MAX, () -> full.encode().length + " bytes");
        assertEquals(Optional.of(full), Calibration.decode(full.encode()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Calibration(
                        "",
                        "",
                        TIME,
                        Optional.empty(),
                        Map.of(),
                        Collections.nCopies(Calibration.SAMPLES_MAX + 1, largest)));
    }

    @Test
    void aNameCannotForgeALine() {
        var forged = new Calibration(
                "GPU\nversions x\nsum-float32 1 1 1", "y\r", TIME, Optional.empty(), Map.of(), List.of());
        assertEquals(Optional.of(forged), Calibration.decode(forged.encode()));
        assertEquals("GPU versions x sum-float32 1 1 1", forged.hardware());
    }

    @Test
    void everyChangedByteAndEveryCutIsSeen() {
        byte[] good = SOME.encode();
        for (int i = 0; i < good.length; i++) {
            byte[] bad = good.clone();
            bad[i] ^= 1;
            assertEquals(Optional.empty(), Calibration.decode(bad), "byte " + i);
            assertEquals(Optional.empty(), Calibration.decode(Arrays.copyOf(good, i)), "cut at " + i);
        }
        assertEquals(Optional.empty(), Calibration.decode(Arrays.copyOf(good, good.length + 1)));
        assertEquals(Optional.empty(), Calibration.decode(new byte[Calibration.BYTES_MAX + 1]));
    }

    /** The checksum is right, so a person or another build wrote the file. */
    @Test
    void aLineThatMakesNoSenseIsDamageToo() {
        String good = new String(SOME.encode(), StandardCharsets.UTF_8);
        Stream.of(
                        "sum-float33 65536 2100 180000",
                        "sum-float32 0 2100 180000",
                        "sum-float32 65536 0 180000",
                        "sum-float32 65536 2100 0",
                        "sum-float32 65536 2100",
                        "sum-float32 65536 2100 -1",
                        "sum-float32 65536 2100 9999999999999999999",
                        "")
                .forEach(line -> assertEquals(
                        Optional.empty(),
                        Calibration.decode(summed(good.replace("sum-float32 65536 2100 180000", line))),
                        line));
        assertEquals(Optional.empty(), Calibration.decode(summed(good.replace("calibration 2", "calibration 1"))));
        Stream.of("metal add-int8 x", "metal add-int9 16777216", "metal add-int8")
                .forEach(line -> assertEquals(
                        Optional.empty(),
                        Calibration.decode(summed(good.replace("metal add-int8 16777216", line))),
                        line));
        assertEquals(Optional.empty(), Calibration.decode(summed(good.replace("measured 2026", "measured today"))));
        assertTrue(Calibration.decode(summed(good)).isPresent());
    }

    private static byte[] summed(String text) {
        String body = text.substring(0, text.indexOf("crc32 "));
        var crc = new java.util.zip.CRC32();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        return (body + "crc32 " + java.util.HexFormat.of().toHexDigits((int) crc.getValue()) + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void noBytesMakeItFail() {
        var random = new SplittableRandom(7);
        for (int i = 0; i < 2000; i++) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            assertEquals(Optional.empty(), Calibration.decode(noise));
        }
    }

    @Test
    void theyHoldForThirtyDaysAndNotBeforeTheyWereMeasured() {
        assertTrue(SOME.holds(TIME));
        assertTrue(SOME.holds(TIME.plus(Duration.ofDays(30)).minusSeconds(1)));
        assertTrue(!SOME.holds(TIME.plus(Duration.ofDays(30))));
        assertTrue(!SOME.holds(TIME.minusSeconds(1)));
    }

    @Test
    void figuresOfOtherHardwareOrVersionsDoNotFit() {
        assertTrue(SOME.fits(
                new Calibration(SOME.hardware(), SOME.versions(), TIME, Optional.empty(), Map.of(), List.of())));
        assertTrue(
                !SOME.fits(new Calibration("Apple M3", SOME.versions(), TIME, Optional.empty(), Map.of(), List.of())));
        assertTrue(
                !SOME.fits(new Calibration(SOME.hardware(), "java 26", TIME, Optional.empty(), Map.of(), List.of())));
    }
}
