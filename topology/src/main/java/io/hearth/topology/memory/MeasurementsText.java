package io.hearth.topology.memory;

import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The text of measurements in a file, one line each:
 *
 * <pre>
 * hearth links 1
 * 12D3KooW… 192.168.1.7 214000 117500000 11875000 - 1790000000000
 * </pre>
 *
 * <p>The fields are machine, address, round trip in nanoseconds, throughput outward and inward in bytes per second, loss per thousand and
 * wall-clock time of the measurement in milliseconds; {@code -} stands for what was not measured. In memory times are monotonic; both
 * directions convert by the age. After a jump of the wall clock ages are wrong once; a time in the future counts as now.
 */
public final class MeasurementsText {
    /** Largest accepted file. */
    public static final int BYTES_MAX = 512 * 1024;

    private static final String HEAD = "hearth links 1";
    private static final String NONE = "-";
    private static final int FIELDS = 7;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private MeasurementsText() {}

    /** The text, in UTF-8. */
    public static byte[] encode(Measurements measurements, long nowNanos, long nowEpochMillis) {
        var text = new StringBuilder(HEAD).append('\n');
        for (Measurement each : measurements.list()) {
            long ageMillis = Math.max(0, nowNanos - each.measuredNanos()) / NANOS_PER_MILLI;
            text.append(String.join(
                            " ",
                            each.machine().text(),
                            each.address(),
                            Long.toString(each.roundTripNanos()),
                            field(each.outward()),
                            field(each.inward()),
                            each.lossPermille().isPresent()
                                    ? Integer.toString(each.lossPermille().getAsInt())
                                    : NONE,
                            Long.toString(nowEpochMillis - ageMillis)))
                    .append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads a text; measurements older than 30 days are left out.
     *
     * @throws IllegalArgumentException if the text is damaged; the message names the reason
     */
    public static Measurements decode(byte[] content, long nowNanos, long nowEpochMillis) {
        if (content.length > BYTES_MAX) {
            throw new IllegalArgumentException("it is larger than " + BYTES_MAX + " bytes");
        }
        List<String> lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD) || lines.size() > 1 + Measurements.ENTRIES_MAX) {
            throw new IllegalArgumentException("it does not begin with '" + HEAD + "', or has too many lines");
        }
        var read = new ArrayList<Measurement>();
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(" ", FIELDS + 1);
            if (fields.length != FIELDS) {
                throw new IllegalArgumentException("a line has " + fields.length + " fields");
            }
            long measuredMillis = number(fields[6]);
            long ageMillis = Math.max(0, nowEpochMillis - measuredMillis);
            boolean isFresh = measuredMillis >= 0 && ageMillis <= Measurements.AGE_MAX_NANOS / NANOS_PER_MILLI;
            var measurement = new Measurement(
                    PeerId.parse(fields[0]),
                    fields[1],
                    number(fields[2]),
                    optional(fields[3]),
                    optional(fields[4]),
                    fields[5].equals(NONE)
                            ? OptionalInt.empty()
                            : OptionalInt.of(Math.clamp(number(fields[5]), -1, Integer.MAX_VALUE)),
                    isFresh ? nowNanos - ageMillis * NANOS_PER_MILLI : nowNanos);
            if (isFresh) {
                read.add(measurement);
            }
        }
        return Measurements.NONE.with(read, nowNanos);
    }

    private static String field(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : NONE;
    }

    private static OptionalLong optional(String field) {
        return field.equals(NONE) ? OptionalLong.empty() : OptionalLong.of(number(field));
    }

    private static long number(String field) {
        try {
            return Long.parseLong(field);
        } catch (NumberFormatException odd) {
            throw new IllegalArgumentException("'" + field + "' is not a number", odd);
        }
    }
}
