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
 * Settings of a measurement.
 *
 * @param place addresses of the 2 to {@link AllReduceBench#RANKS_MAX} ranks
 * @param sizes in the order of their measurement
 * @param algorithm of the all-reduce
 * @param compression of the vectors
 * @param transport between ranks of one machine
 * @param engine that adds the numbers
 * @param cipher of the records of TCP
 * @param timeout of the whole run
 * @param trace file for the spans of the last calls; none if empty
 */
public record BenchPlan(
        BenchPlace place,
        List<SizeSpec> sizes,
        AllReduceStrategy algorithm,
        CompressionStrategy compression,
        DataTransport transport,
        EngineName engine,
        BenchCipher cipher,
        Duration timeout,
        Optional<Path> trace) {
    public BenchPlan {
        sizes = List.copyOf(sizes);
        if (place.ranks() < 2 || place.ranks() > AllReduceBench.RANKS_MAX) {
            throw new IllegalArgumentException(
                    "ranks must be 2 to " + AllReduceBench.RANKS_MAX + ", got " + place.ranks());
        }
    }

    /** Command line of the process of a rank. */
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

    /** The trace file of each rank, before they are merged. */
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
