package io.hearth.bench;

import io.hearth.accel.EngineName;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.compression.CompressionStrategy;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is to be measured.
 *
 * @param place where, with 2 to {@link AllReduceBench#RANKS_MAX} ranks
 * @param sizes timed in this order
 * @param algorithm which way the sums take
 * @param compression of what is summed
 * @param transport how data travels between ranks of one machine
 * @param engine what reduces
 * @param cipher what seals the records of TCP
 * @param patience for the whole run
 * @param trace where the spans of the last calls go; none if empty
 */
public record BenchPlan(
        BenchPlace place,
        List<SizeSpec> sizes,
        AllReduceStrategy algorithm,
        CompressionStrategy compression,
        DataTransport transport,
        EngineName engine,
        BenchCipher cipher,
        Duration patience,
        Optional<Path> trace) {
    public BenchPlan {
        sizes = List.copyOf(sizes);
        if (place.ranks() < 2 || place.ranks() > AllReduceBench.RANKS_MAX) {
            throw new IllegalArgumentException(
                    "ranks must be 2 to " + AllReduceBench.RANKS_MAX + ", got " + place.ranks());
        }
    }

    /** Command line of a rank's process. */
    List<String> arguments(int rank) {
        String sizeList = sizes.stream()
                .map(size -> size.bytes() + ":" + size.iterations())
                .collect(Collectors.joining(","));
        var all = new ArrayList<>(List.of(
                "bench",
                "rank",
                "--rank",
                "" + rank,
                "--peers",
                String.join(",", place.addresses()),
                "--sizes",
                sizeList,
                "--iface",
                place.networkInterface(),
                "--algorithm",
                algorithm.name().toLowerCase(Locale.ROOT),
                "--transport",
                transport.text(),
                "--engine",
                engine.text()));
        if (!compression.equals(CompressionStrategy.NONE)) {
            all.addAll(List.of("--compression", compression.text()));
        }
        if (cipher != BenchCipher.AEAD) {
            all.addAll(List.of("--cipher", cipher.text()));
        }
        trace.ifPresent(whole -> all.addAll(
                List.of("--trace", tracePart(whole, rank).toAbsolutePath().toString())));
        return all;
    }

    /** The ranks' own files, until they are one. */
    List<Path> traceParts() {
        var parts = new ArrayList<Path>();
        trace.ifPresent(whole -> {
            for (int rank = 0; rank < place.ranks(); rank++) {
                parts.add(tracePart(whole, rank));
            }
        });
        return parts;
    }

    private static Path tracePart(Path whole, int rank) {
        return whole.resolveSibling(whole.getFileName() + ".rank" + rank);
    }
}
