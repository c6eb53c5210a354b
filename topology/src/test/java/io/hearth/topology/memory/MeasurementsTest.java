package io.hearth.topology.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MeasurementsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long DAY = 24 * 3_600 * SECOND;
    private static final long NOON = 1_790_000_000_000L;
    private static final PeerId MACHINE = machine(1);

    private static PeerId machine(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        key[1] = (byte) (number >>> 8);
        return PeerId.of(key);
    }

    private static Measurement cable(int machine, long measuredNanos) {
        return new Measurement(
                machine(machine),
                "192.168.1.7",
                214_000,
                OptionalLong.of(117_500_000),
                OptionalLong.of(11_875_000),
                OptionalInt.of(3),
                measuredNanos);
    }

    private static Measurement trip(String address, long measuredNanos) {
        return new Measurement(
                MACHINE, address, 5, OptionalLong.empty(), OptionalLong.empty(), OptionalInt.empty(), measuredNanos);
    }

    private static Measurements of(long nowNanos, Measurement... entries) {
        return Measurements.NONE.with(List.of(entries), nowNanos);
    }

    @Test
    void theTextIsOneLineForEachPath() {
        assertEquals(
                "hearth links 1\n"
                        + MACHINE.text() + " 192.168.1.7 214000 117500000 11875000 3 " + (NOON - 7_000) + "\n"
                        + MACHINE.text() + " fe80:0:0:0:0:0:0:1%eth0 5 - - - " + NOON + "\n",
                new String(
                        MeasurementsText.encode(
                                of(10 * SECOND, cable(1, 3 * SECOND), trip("fe80:0:0:0:0:0:0:1%eth0", 10 * SECOND)),
                                10 * SECOND,
                                NOON),
                        StandardCharsets.UTF_8));
    }

    /** The other process has another monotonic clock, and some time has passed. */
    @Test
    void agesSurviveARestart() {
        byte[] file = MeasurementsText.encode(of(10 * SECOND, cable(1, 3 * SECOND)), 10 * SECOND, NOON);
        long nowNanos = Long.MIN_VALUE + 5;
        Measurement read = MeasurementsText.decode(file, nowNanos, NOON + 60_000)
                .of(MACHINE, "192.168.1.7")
                .orElseThrow();
        assertEquals(67 * SECOND, nowNanos - read.measuredNanos());
        assertEquals(cable(1, nowNanos - 67 * SECOND), read);
        Measurement early = MeasurementsText.decode(file, 0, NOON - 3_600_000)
                .of(MACHINE, "192.168.1.7")
                .orElseThrow();
        assertEquals(0, early.measuredNanos(), "a time in the future counts as now");
    }

    @Test
    void whatIsOlderThanThirtyDaysIsDropped() {
        byte[] file = MeasurementsText.encode(of(0, cable(1, 0)), 0, NOON);
        long days = 30 * DAY / 1_000_000;
        assertEquals(1, MeasurementsText.decode(file, 0, NOON + days).list().size());
        assertEquals(0, MeasurementsText.decode(file, 0, NOON + days + 1).list().size());
        assertEquals(1, of(30 * DAY, cable(1, 0)).list().size());
        assertEquals(0, of(30 * DAY + 1, cable(1, 0)).list().size());
        assertEquals(0, of(0, cable(1, 0)).with(List.of(), 30 * DAY + 1).list().size());
    }

    @Test
    void theOldestGoFirstWhenThereAreTooMany() {
        var many = new ArrayList<Measurement>();
        for (int i = 0; i < Measurements.ENTRIES_MAX + 10; i++) {
            many.add(cable(i, (i * 7_919L) % 5_000));
        }
        Measurements kept = Measurements.NONE.with(many, 10_000);
        assertEquals(Measurements.ENTRIES_MAX, kept.list().size());
        List<Long> oldest =
                many.stream().map(Measurement::measuredNanos).sorted().limit(10).toList();
        assertTrue(kept.list().stream().noneMatch(each -> oldest.contains(each.measuredNanos())));
        byte[] file = MeasurementsText.encode(kept, 10_000, NOON);
        assertTrue(file.length < MeasurementsText.BYTES_MAX, file.length + " bytes");
        assertEquals(
                Measurements.ENTRIES_MAX,
                MeasurementsText.decode(file, 10_000, NOON).list().size());
    }

    @Test
    void aNewerOneReplacesThatOfItsPath() {
        Measurements one = of(9, cable(1, 5)).with(List.of(cable(1, 7), trip("10.0.0.1", 8)), 9);
        assertEquals(List.of(trip("10.0.0.1", 8), cable(1, 7)), one.list());
        assertEquals(Optional.empty(), one.of(machine(2), "10.0.0.1"));
        assertEquals(of(9, cable(1, 7), trip("10.0.0.1", 8)), one);
    }

    /** Two nodes of one machine have links to the same address, and only one of them was measured. */
    @Test
    void aRoundTripReplacesNoThroughputAndAnOlderOneNoNewer() {
        Measurement rated = cable(1, 5);
        Measurement trip = trip(rated.address(), 8);
        Measurement kept = new Measurement(
                MACHINE,
                rated.address(),
                trip.roundTripNanos(),
                rated.outward(),
                rated.inward(),
                rated.lossPermille(),
                5);
        assertEquals(List.of(kept), of(9, rated, trip).list());
        assertEquals(List.of(rated), of(9, trip, rated).list());
        assertEquals(List.of(rated), of(9, rated, cable(1, 4)).list());
        assertEquals(
                List.of(trip(rated.address(), 3)),
                of(9, trip, trip(rated.address(), 3)).list());
    }

    @Test
    void onlyNewsIsWorthAWrite() {
        Measurements written = of(9, cable(1, 5), trip("10.0.0.1", 5));
        assertFalse(written.isNews(written));
        assertFalse(written.with(List.of(trip("10.0.0.1", 8)), 9).isNews(written), "a round trip alone");
        assertTrue(written.with(List.of(trip("10.0.0.2", 8)), 9).isNews(written), "a new path");
        assertTrue(of(9, cable(1, 5)).isNews(written), "a path that is gone");
        assertTrue(written.with(List.of(cable(1, 6)), 9).isNews(written), "measured again");
        for (Measurement other : List.of(
                new Measurement(
                        MACHINE, "10.0.0.1", 5, OptionalLong.of(1), OptionalLong.empty(), OptionalInt.empty(), 5),
                new Measurement(
                        MACHINE, "10.0.0.1", 5, OptionalLong.empty(), OptionalLong.of(1), OptionalInt.empty(), 5),
                new Measurement(
                        MACHINE, "10.0.0.1", 5, OptionalLong.empty(), OptionalLong.empty(), OptionalInt.of(1), 5))) {
            assertTrue(written.with(List.of(other), 9).isNews(written), other.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hearth links 2\n",
                "hearth links 1\nx\n",
                "hearth links 1\n%s 10.0.0.1 5 - - -\n",
                "hearth links 1\n%s 10.0.0.1 5 - - - 7 8\n",
                "hearth links 1\n%s 10.0.0.1 0 - - - 7\n",
                "hearth links 1\n%s 10.0.0.1 5 0 - - 7\n",
                "hearth links 1\n%s 10.0.0.1 5 - -1 - 7\n",
                "hearth links 1\n%s 10.0.0.1 5 - - 1001 7\n",
                "hearth links 1\n%s 10.0.0.1 5 - - 99999999999 7\n",
                "hearth links 1\n%s 10.0.0.1 many - - - 7\n",
                "hearth links 1\n%s  5 - - - 7\n",
                "hearth links 1\nnobody 10.0.0.1 5 - - - 7\n",
                "hearth links 1\n%s 10.0.0.1 5 - - - 99999999999999999999\n"
            })
    void aDamagedTextIsRefused(String text) {
        byte[] content = text.replace("%s", MACHINE.text()).getBytes(StandardCharsets.UTF_8);
        assertThrows(IllegalArgumentException.class, () -> MeasurementsText.decode(content, 0, NOON));
    }

    @Test
    void aTextThatIsTooLongIsRefused() {
        byte[] large = new byte[MeasurementsText.BYTES_MAX + 1];
        assertThrows(IllegalArgumentException.class, () -> MeasurementsText.decode(large, 0, NOON));
        String lines =
                "hearth links 1\n" + (MACHINE.text() + " 10.0.0.1 5 - - - 7\n").repeat(Measurements.ENTRIES_MAX + 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> MeasurementsText.decode(lines.getBytes(StandardCharsets.UTF_8), 0, NOON));
    }

    /** Any bytes give measurements within their bounds, or one kind of exception. */
    @Test
    void mutatedTextsNeverEscape() {
        byte[] good = MeasurementsText.encode(of(9, cable(1, 5), trip("10.0.0.1", 5)), 9, NOON);
        var random = new SplittableRandom(21);
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(8) == 0 ? random.nextInt(good.length + 8) : good.length);
            for (int flips = random.nextInt(0, 4); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                MeasurementsText.decode(bytes, 9, NOON);
                read++;
            } catch (IllegalArgumentException expected) {
                refused++;
            }
        }
        assertTrue(read > 1_000 && refused > 1_000, read + " read, " + refused + " refused");
    }
}
