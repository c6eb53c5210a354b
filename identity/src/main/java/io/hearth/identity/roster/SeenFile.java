package io.hearth.identity.roster;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.HomeFile;
import io.hearth.identity.Labels;
import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The file {@code seen-NAME} of a home: machines that were linked, when last, and what they call themselves. For people: no decision but
 * whom to ask about rests on it, so lines that are damaged are passed over.
 */
public final class SeenFile {
    /** Most machines; the one that was away for longest goes first. */
    public static final int MACHINES_MAX = 256;

    private static final int BYTES_MAX = 128 * 1024;

    private final HomeFile file;

    /**
     * A machine that was linked.
     *
     * @param epochMillis when last, by this machine's wall clock
     */
    public record Seen(long epochMillis, String label) {}

    private SeenFile(HomeFile file) {
        this.file = file;
    }

    /** The file of that namespace. */
    public static SeenFile in(HearthHome home, String namespace) {
        return new SeenFile(HomeFile.in(home, "seen-" + namespace, "seen-" + namespace + ".lock", BYTES_MAX));
    }

    /** Moves it away, with the roster of a namespace that was given up. */
    public void setAside() throws SetupException {
        var _ = file.locked(() -> {
            file.setAside();
            return file;
        });
    }

    /** Who was linked. */
    public SortedMap<PeerId, Seen> read() throws SetupException {
        var seen = new TreeMap<PeerId, Seen>();
        Optional<byte[]> content = file.read();
        if (content.isPresent()) {
            new String(content.get(), StandardCharsets.UTF_8)
                    .lines()
                    .limit(MACHINES_MAX)
                    .forEach(line -> {
                        String[] parts = line.split("\t", 3);
                        if (parts.length == 3) {
                            try {
                                seen.put(
                                        PeerId.parse(parts[0]),
                                        new Seen(Long.parseLong(parts[1]), Labels.clean(parts[2])));
                            } catch (IllegalArgumentException damaged) {
                                return; // one line for people less
                            }
                        }
                    });
        }
        return seen;
    }

    /**
     * Adds what this process saw; the newer time of two counts. One after now was written while the clock was ahead: it counts as the oldest.
     *
     * @param nowMillis wall clock
     */
    public void add(Map<PeerId, Seen> more, long nowMillis) throws SetupException {
        var _ = file.locked(() -> {
            SortedMap<PeerId, Seen> seen = read();
            more.forEach((machine, at) -> seen.merge(
                    machine,
                    new Seen(Math.min(at.epochMillis(), nowMillis), at.label()),
                    (one, other) -> age(one, nowMillis) > age(other, nowMillis) ? other : one));
            var text = new StringBuilder();
            seen.entrySet().stream()
                    .sorted(Comparator.comparingLong(
                                    (Map.Entry<PeerId, Seen> entry) -> age(entry.getValue(), nowMillis))
                            .thenComparing(Map.Entry::getKey))
                    .limit(MACHINES_MAX)
                    .forEach(entry -> text.append(entry.getKey().text())
                            .append('\t')
                            .append(entry.getValue().epochMillis())
                            .append('\t')
                            .append(entry.getValue().label())
                            .append('\n'));
            file.replace(text.toString().getBytes(StandardCharsets.UTF_8));
            return seen;
        });
    }

    private static long age(Seen seen, long nowMillis) {
        return seen.epochMillis() > nowMillis ? Long.MAX_VALUE : nowMillis - seen.epochMillis();
    }
}
