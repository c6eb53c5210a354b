package io.hearth.accel.select;

import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The measurements of a machine and their file. The file is text, so that a person can read it:
 *
 * <pre>
 * hearth-calibration 2
 * hardware Apple M2 Max
 * versions figures 3-5eed1234, java 25.0.3+9, Mac OS X 15.5, kernels 90abcdef, cpu vector
 * measured 2026-11-21T04:05:06Z
 * failure 2026-11-22T07:08:09Z the GPU gave up: caused GPU timeout
 * metal sum-float32 4194304            kernel, bytes from which the GPU does it
 * sum-float32 65536 2100 180000        kernel, bytes, nanoseconds on the CPU, on the GPU
 * …
 * crc32 0badcafe                       of all lines above, each with its line feed
 * </pre>
 *
 * @param hardware name of the GPU, one line
 * @param versions of everything else that the figures depend on, one line
 * @param measured time of the measurement
 * @param failure time and reason of the last failure of the GPU since then, in any process; empty if there was none
 * @param metalFrom the choice by the figures, as {@link EngineChoice#metalFrom}
 * @param samples at most {@link #SAMPLES_MAX}
 */
public record Calibration(
        String hardware,
        String versions,
        Instant measured,
        Optional<String> failure,
        Map<KernelKind, Long> metalFrom,
        List<EngineChoice.Sample> samples) {
    /** Most bytes of a file. */
    public static final int BYTES_MAX = 16 << 10;

    /** Most measurements of a file. */
    public static final int SAMPLES_MAX = 192;

    /** The figures are valid for this long: a system update or another load changes them. */
    static final Duration HOLDS = Duration.ofDays(30);

    private static final int LINE_MAX = 200;
    private static final String HEAD = "hearth-calibration 2";
    private static final String HARDWARE = "hardware ";
    private static final String VERSIONS = "versions ";
    private static final String MEASURED = "measured ";
    private static final String FAILURE = "failure ";
    private static final String SUM = "crc32 ";
    private static final int LINES_BEFORE_CHOICE = 4;
    private static final Pattern CHOSEN = Pattern.compile("metal ([a-z0-9-]{1,32}) (\\d{1,18})");
    private static final Pattern SAMPLE = Pattern.compile("([a-z0-9-]{1,32}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18})");

    /** Turns each text into one line, copies the collections. */
    public Calibration {
        hardware = oneLine(hardware);
        versions = oneLine(versions);
        measured = measured.truncatedTo(ChronoUnit.SECONDS);
        failure = failure.map(Calibration::oneLine);
        metalFrom = Map.copyOf(metalFrom);
        samples = List.copyOf(samples);
        if (samples.size() > SAMPLES_MAX) {
            throw new IllegalArgumentException("need at most " + SAMPLES_MAX + " measurements, got " + samples.size());
        }
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ").strip();
        return line.length() > LINE_MAX ? line.substring(0, LINE_MAX).strip() : line;
    }

    /** Whether the figures are of this hardware and these versions. */
    boolean fits(Calibration other) {
        return hardware.equals(other.hardware) && versions.equals(other.versions);
    }

    /** Whether the figures are recent enough; a time ahead of this clock is not. */
    boolean holds(Instant now) {
        return !measured.isAfter(now) && now.isBefore(measured.plus(HOLDS));
    }

    /** The same figures with a failure of the GPU, in place of an earlier one; the reason becomes printable ASCII. */
    Calibration failed(Instant when, String why) {
        String line = when.truncatedTo(ChronoUnit.SECONDS) + " " + why.replaceAll("[^ -~]", "?");
        return new Calibration(hardware, versions, measured, Optional.of(line), metalFrom, samples);
    }

    /** The content of a file. */
    byte[] encode() {
        var text = new StringBuilder();
        text.append(HEAD).append('\n');
        text.append(HARDWARE).append(hardware).append('\n');
        text.append(VERSIONS).append(versions).append('\n');
        text.append(MEASURED).append(measured).append('\n');
        failure.ifPresent(line -> text.append(FAILURE).append(line).append('\n'));
        new TreeMap<>(metalFrom)
                .forEach((kind, bytes) -> text.append("metal ")
                        .append(kind.text())
                        .append(' ')
                        .append(bytes)
                        .append('\n'));
        for (EngineChoice.Sample sample : samples) {
            text.append(sample.kind().text()).append(' ');
            text.append(sample.bytes()).append(' ');
            text.append(sample.cpuNanos()).append(' ');
            text.append(sample.metalNanos()).append('\n');
        }
        return (text + SUM + crc(text.toString()) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the content of a file; empty if it is damaged, has another format, or names a kernel that this build does not have. */
    static Optional<Calibration> decode(byte[] content) {
        if (content.length > BYTES_MAX) {
            return Optional.empty();
        }
        String text = new String(content, StandardCharsets.UTF_8);
        int sumAt = text.lastIndexOf(SUM);
        if (sumAt < 0 || !text.substring(sumAt).equals(SUM + crc(text.substring(0, sumAt)) + "\n")) {
            return Optional.empty();
        }
        List<String> lines = text.substring(0, sumAt).lines().toList();
        if (lines.size() < LINES_BEFORE_CHOICE
                || !lines.get(0).equals(HEAD)
                || !lines.get(1).startsWith(HARDWARE)
                || !lines.get(2).startsWith(VERSIONS)
                || !lines.get(3).startsWith(MEASURED)) {
            return Optional.empty();
        }
        Optional<Instant> measured = instant(lines.get(3).substring(MEASURED.length()));
        String next = lines.size() > LINES_BEFORE_CHOICE ? lines.get(LINES_BEFORE_CHOICE) : "";
        Optional<String> failure =
                next.startsWith(FAILURE) ? Optional.of(next.substring(FAILURE.length())) : Optional.empty();
        var metalFrom = new EnumMap<KernelKind, Long>(KernelKind.class);
        var samples = new ArrayList<EngineChoice.Sample>();
        for (String line : lines.subList(LINES_BEFORE_CHOICE + (failure.isPresent() ? 1 : 0), lines.size())) {
            Matcher chosen = CHOSEN.matcher(line);
            Optional<KernelKind> kind = chosen.matches() ? KernelKind.named(chosen.group(1)) : Optional.empty();
            Optional<EngineChoice.Sample> sample = sample(line);
            if (kind.isPresent() && samples.isEmpty()) {
                metalFrom.put(kind.get(), Long.parseLong(chosen.group(2)));
            } else if (sample.isPresent() && samples.size() < SAMPLES_MAX) {
                samples.add(sample.get());
            } else {
                return Optional.empty();
            }
        }
        return measured.map(time -> new Calibration(
                lines.get(1).substring(HARDWARE.length()),
                lines.get(2).substring(VERSIONS.length()),
                time,
                failure,
                metalFrom,
                samples));
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException foreign) {
            return Optional.empty();
        }
    }

    private static Optional<EngineChoice.Sample> sample(String line) {
        Matcher parts = SAMPLE.matcher(line);
        if (!parts.matches()) {
            return Optional.empty();
        }
        long bytes = Long.parseLong(parts.group(2));
        long cpuNanos = Long.parseLong(parts.group(3));
        long metalNanos = Long.parseLong(parts.group(4));
        if (bytes == 0 || cpuNanos == 0 || metalNanos == 0) {
            return Optional.empty();
        }
        return KernelKind.named(parts.group(1)).map(kind -> new EngineChoice.Sample(kind, bytes, cpuNanos, metalNanos));
    }

    private static String crc(String text) {
        var crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
