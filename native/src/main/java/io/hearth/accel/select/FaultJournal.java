package io.hearth.accel.select;

import io.hearth.accel.metal.MetalFault;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last failures of the GPU on this machine, in any process, and their file. The file is text, so that a person can read it; a reader
 * skips damaged lines:
 *
 * <pre>
 * hearth-gpu-faults 1
 * 2026-11-21T04:05:06Z 4242 COMMAND 3 120 the GPU gave up: caused GPU timeout
 * time of the last one, process, kind, how often, calls that the GPU did before, reason
 * </pre>
 *
 * @param entries the oldest first, at most {@link #ENTRIES_MAX}
 */
public record FaultJournal(List<Entry> entries) {
    /** Most entries; the oldest are removed. */
    public static final int ENTRIES_MAX = 32;

    private static final int WHY_MAX = 300;
    private static final String HEAD = "hearth-gpu-faults 1\n";
    private static final Pattern LINE =
            Pattern.compile("(\\S{20,30}) (\\d{1,18}) ([A-Z_]{1,32}) (\\d{1,18}) (\\d{1,18}) (.{0," + WHY_MAX + "})");

    /**
     * Failures of one kind in one process.
     *
     * @param time of the last failure that was written
     * @param process number of the process
     * @param count number of failures until then
     * @param callsOnGpu number of calls that the GPU did for that process until then
     * @param why reason of the last failure, printable ASCII in one line
     */
    public record Entry(Instant time, long process, MetalFault fault, long count, long callsOnGpu, String why) {
        /** Turns the reason into one short line. */
        public Entry {
            String line = why.replaceAll("\\s+", " ").replaceAll("[^ -~]", "?").strip();
            why = line.length() > WHY_MAX ? line.substring(0, WHY_MAX) : line;
        }
    }

    /** Copies the list. */
    public FaultJournal {
        entries = List.copyOf(entries);
    }

    /** Adds an entry, which replaces the one of that kind and process. */
    FaultJournal with(Entry entry) {
        var next = new ArrayList<>(entries);
        next.removeIf(old -> old.process() == entry.process() && old.fault() == entry.fault());
        next.add(entry);
        return new FaultJournal(next.subList(Math.max(0, next.size() - ENTRIES_MAX), next.size()));
    }

    /** The content of a file, below {@link Calibration#BYTES_MAX}. */
    byte[] encode() {
        var text = new StringBuilder(HEAD);
        for (Entry entry : entries) {
            text.append(entry.time()).append(' ');
            text.append(entry.process()).append(' ');
            text.append(entry.fault().name()).append(' ');
            text.append(entry.count()).append(' ');
            text.append(entry.callsOnGpu()).append(' ');
            text.append(entry.why()).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads the content of a file, without its damaged lines. */
    static FaultJournal decode(byte[] content) {
        String text = new String(content, StandardCharsets.US_ASCII);
        var entries = new ArrayList<Entry>();
        if (text.startsWith(HEAD)) {
            text.lines().skip(1).forEach(line -> entry(line).ifPresent(entries::add));
        }
        return new FaultJournal(entries.subList(Math.max(0, entries.size() - ENTRIES_MAX), entries.size()));
    }

    private static Optional<Entry> entry(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Entry(
                    Instant.parse(parts.group(1)),
                    Long.parseLong(parts.group(2)),
                    MetalFault.valueOf(parts.group(3)),
                    Long.parseLong(parts.group(4)),
                    Long.parseLong(parts.group(5)),
                    parts.group(6)));
        } catch (DateTimeParseException | IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }
}
