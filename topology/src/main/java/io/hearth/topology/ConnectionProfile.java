package io.hearth.topology;

import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The measurements of one direction between two nodes, path by path; it holds no nominal speeds. Either end may have measured: a round trip
 * uses both directions, and the receiver of bytes sees their rate as well as the sender.
 *
 * @param from the node that sends
 * @param to the node that receives
 * @param paths 1 to {@value #PATHS_MAX}, each once, in the order of their names
 */
public record ConnectionProfile(NodeId from, NodeId to, List<PathProfile> paths) {
    /** Most paths between two nodes. */
    public static final int PATHS_MAX = 16;

    private static final Comparator<PathProfile> BEST_LAST = Comparator.<PathProfile>comparingLong(
                    path -> path.bytesPerSecond().orElse(0))
            .thenComparing(Comparator.comparingLong(PathProfile::roundTripNanos).reversed());

    public ConnectionProfile {
        if (from.equals(to)) {
            throw new IllegalArgumentException(
                    "a connection needs two different ends, got " + from.shortText() + " twice");
        }
        paths = paths.stream().sorted(Comparator.comparing(PathProfile::path)).toList();
        long names = paths.stream().map(PathProfile::path).distinct().count();
        if (paths.isEmpty() || paths.size() > PATHS_MAX || names < paths.size()) {
            throw new IllegalArgumentException("a connection needs 1 to " + PATHS_MAX + " different paths, got "
                    + paths.size() + " with " + names + " names");
        }
    }

    /** A connection with one path, of which only one round trip is known. */
    public static ConnectionProfile of(NodeId from, NodeId to, InterfaceClass kind, long roundTripNanos, String path) {
        return new ConnectionProfile(from, to, List.of(PathProfile.of(path, kind, "", roundTripNanos, 0)));
    }

    /** With this path in place of any former one of the same name. */
    public ConnectionProfile with(PathProfile path) {
        var changed = new ArrayList<>(paths);
        changed.removeIf(former -> former.path().equals(path.path()));
        changed.add(path);
        return new ConnectionProfile(from, to, changed);
    }

    /** The path of this name. */
    public Optional<PathProfile> path(String name) {
        return paths.stream().filter(path -> path.path().equals(name)).findFirst();
    }

    /** The path with the highest measured throughput. Without one, or with equal ones, the path with the shortest round trip. */
    public PathProfile best() {
        PathProfile best = paths.getFirst();
        for (PathProfile path : paths) {
            best = BEST_LAST.compare(path, best) > 0 ? path : best;
        }
        return best;
    }

    /** The kind of network of the best path. */
    public InterfaceClass kind() {
        return best().kind();
    }

    /** The name of the best path. */
    public String path() {
        return best().path();
    }

    /** The shortest round trip of any path. */
    public long roundTripNanos() {
        return paths.stream().mapToLong(PathProfile::roundTripNanos).min().orElseThrow();
    }

    /** The highest measured throughput of any path in this direction; empty if no path has one. */
    public OptionalLong bytesPerSecond() {
        return paths.stream()
                .flatMapToLong(path -> path.bytesPerSecond().stream())
                .max();
    }

    /** With one more round-trip time of the best path, smoothed. */
    public ConnectionProfile roundTrip(long sampleNanos) {
        return with(best().roundTrip(sampleNanos));
    }

    /** With a newly measured throughput of the best path. */
    public ConnectionProfile throughput(long measuredBytesPerSecond) {
        return with(best().throughput(measuredBytesPerSecond));
    }
}
