package io.hearth.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.accel.EngineName;
import io.hearth.compression.CompressionStrategy;
import io.hearth.transport.DataTransport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The results of one size over all ranks, in the format of {@code lab/peers/run}.
 *
 * @param firstSeconds duration of the very first call of this size; a call lasts until its slowest rank has finished
 * @param coldSeconds median duration of the calls before the warm-up, without the first
 * @param medianSeconds median duration of the calls after the warm-up
 * @param algorithm the schedules that a call used on rank 0
 * @param compression of the vectors
 * @param chosen the codec that rank 0 chose, if {@code compression} leaves a choice
 * @param asked the transport that the user set
 * @param engine the engine that the user set
 * @param cipher of the records of TCP
 * @param ways the transport that each pair of ranks used
 * @param cpuSecondsPerGb processor time of all ranks together per GB of vector
 * @param memory of each rank, in the order of the ranks
 */
public record BenchLine(
        int ranks,
        String where,
        String algorithm,
        String compression,
        Optional<Chosen> chosen,
        DataTransport asked,
        EngineName engine,
        BenchCipher cipher,
        SortedMap<String, String> ways,
        long bytes,
        int iterations,
        double firstSeconds,
        double coldSeconds,
        double medianSeconds,
        double p95Seconds,
        double cpuSecondsPerGb,
        List<RankMemory> memory,
        boolean ok) {
    private static final String PEER = "hearth"; // among the programs of lab/peers

    public BenchLine {
        ways = Collections.unmodifiableSortedMap(new TreeMap<>(ways));
        memory = List.copyOf(memory);
    }

    /**
     * Joins the ranks' measurements of one size.
     *
     * @param plan the settings of the measurement
     * @param times one entry for each rank, all with the same size and number of iterations
     */
    static BenchLine of(BenchPlan plan, List<RankTimes> times) {
        List<RankTimes> byRank =
                times.stream().sorted(Comparator.comparingInt(RankTimes::rank)).toList();
        RankTimes first = byRank.getFirst();
        int iterations = first.seconds().size();
        List<Double> cold = slowest(times, RankTimes::cold);
        List<Double> nextCold = cold.subList(Math.min(1, cold.size()), cold.size()).stream()
                .sorted()
                .toList();
        List<Double> slowest =
                slowest(times, RankTimes::seconds).stream().sorted().toList();
        double cpu = times.stream().mapToDouble(RankTimes::cpuSeconds).sum();
        return new BenchLine(
                times.size(),
                plan.place().where(),
                first.algorithm(),
                plan.compression().text(),
                first.chosen(),
                plan.transport(),
                plan.engine(),
                plan.cipher(),
                PairWays.of(times).pairs(),
                first.bytes(),
                iterations,
                cold.isEmpty() ? 0 : cold.getFirst(),
                nextCold.isEmpty() ? 0 : nextCold.get(nextCold.size() / 2),
                slowest.get(iterations / 2),
                slowest.get(Math.min(iterations - 1, (int) (iterations * 0.95))),
                cpu / iterations / first.bytes() * 1e9,
                byRank.stream().map(RankTimes::memory).toList(),
                times.stream().allMatch(RankTimes::ok));
    }

    /** The largest of the ranks' figures for each call. */
    private static List<Double> slowest(List<RankTimes> times, Function<RankTimes, List<Double>> figures) {
        var slowest = new ArrayList<Double>();
        for (RankTimes rank : times) {
            List<Double> own = figures.apply(rank);
            for (int i = 0; i < own.size(); i++) {
                if (i == slowest.size()) {
                    slowest.add(own.get(i));
                } else {
                    slowest.set(i, Math.max(slowest.get(i), own.get(i)));
                }
            }
        }
        return slowest;
    }

    /** Algorithm and compression, as text. */
    public String way() {
        return isCompressed() ? algorithm + " as " + chosen.map(Chosen::codec).orElse(compression) : algorithm;
    }

    private boolean isCompressed() {
        return !compression.equals(CompressionStrategy.NONE.text());
    }

    /** Bytes that every link must carry, divided by the median duration: comparable between different numbers of ranks. */
    public double busBandwidthGbPerSecond() {
        return 2.0 * (ranks - 1) / ranks * bytes / medianSeconds / 1e9;
    }

    /** The transport: {@code shm}, {@code tcp}, or {@code mixed} if it differs between pairs. */
    public String transport() {
        return new PairWays(ways).word();
    }

    /** Largest native memory of a rank in MiB; see {@link RankMemory#nativeBytes}. */
    public double extraMebibytes() {
        return memory.stream().mapToDouble(RankMemory::nativeMebibytes).max().orElse(0);
    }

    /** One line of JSON with the keys of {@code lab/peers/run} and some others. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("peer", PEER);
        json.addProperty("ranks", ranks);
        json.addProperty("where", where);
        json.addProperty("algorithm", algorithm);
        if (isCompressed()) {
            json.addProperty("compression", compression);
            chosen.ifPresent(what -> {
                json.addProperty("chosen", what.codec());
                json.addProperty("predicted_gain", rounded(what.gain()));
            });
        }
        json.addProperty("transport_asked", asked.text());
        json.addProperty("transport", transport());
        json.add("pairs", pairs());
        json.addProperty("engine_asked", engine.text());
        if (cipher != BenchCipher.AEAD) {
            json.addProperty("cipher", cipher.text());
        }
        json.addProperty("bytes", bytes);
        json.addProperty("iterations", iterations);
        json.addProperty("first_ms", rounded(firstSeconds * 1e3));
        json.addProperty("cold_ms", rounded(coldSeconds * 1e3));
        json.addProperty("median_ms", rounded(medianSeconds * 1e3));
        json.addProperty("p95_ms", rounded(p95Seconds * 1e3));
        json.addProperty("busbw_GBps", rounded(busBandwidthGbPerSecond()));
        json.addProperty("cpu_s_per_GB", rounded(cpuSecondsPerGb));
        json.add("extra_MiB", byRank(RankMemory::nativeMebibytes));
        json.add("heap_MiB", byRank(RankMemory::heapMebibytes));
        json.addProperty("ok", ok);
        return json;
    }

    private JsonObject pairs() {
        var json = new JsonObject();
        ways.forEach(json::addProperty);
        return json;
    }

    private JsonArray byRank(ToDoubleFunction<RankMemory> figure) {
        var json = new JsonArray();
        memory.forEach(rank -> json.add(rounded(figure.applyAsDouble(rank))));
        return json;
    }

    private static double rounded(double value) {
        return Math.round(value * 1e4) / 1e4;
    }
}
