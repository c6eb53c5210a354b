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
 * The file {@code seen-NAME} of a home: machines that were linked, the time of their last link and their labels. It only determines the
 * machines about which people are asked, so damaged lines are skipped.
 */
public final class SeenFile {
    /** Most machines; the one that was away for longest is dropped first. */
    public static final int MACHINES_MAX = 256;

    private static final int BYTES_MAX = 128 * 1024;

    private final HomeFile file;

    /**
     * A machine that was linked.
     *
     * @param epochMillis time of the last link, by this machine's wall clock
     */
    public record Seen(long epochMillis, String label) {}

    private SeenFile(HomeFile file) {
        this.file = file;
    }

    /** The file of that namespace. */
    public static SeenFile in(HearthHome home, String namespace) {
        return new SeenFile(HomeFile.in(home, "seen-" + namespace, "seen-" + namespace + ".lock", BYTES_MAX));
    }

    /** Moves the file away, together with the roster of an abandoned namespace. */
    public void setAside() throws SetupException {
        var _ = file.locked(() -> {
            file.setAside();
            return file;
        });
    }

    /** The machines that were linked. */
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
                                return; // skips a damaged line
                            }
                        }
                    });
        }
        return seen;
    }

    /**
     * Adds the machines that this process saw; the newer time of two counts. A time in the future was written while the clock was ahead,
     * and counts as the oldest.
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
