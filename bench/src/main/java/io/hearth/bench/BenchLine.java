package io.hearth.bench;

import com.google.gson.JsonObject;
import io.hearth.transport.DataTransport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The figures of one size over all ranks, in the format of {@code lab/peers/run}.
 *
 * @param medianSeconds an iteration lasts until its slowest rank is done
 * @param algorithm the schedules that a call of rank 0 played
 * @param transport that was asked for: {@code auto} is shared memory on loopback where that is possible, and TCP in a lab
 * @param cpuSecondsPerGb processor time of all ranks together per GB of vector
 */
public record BenchLine(
        String peer,
        int ranks,
        String where,
        String algorithm,
        String transport,
        long bytes,
        int iterations,
        double medianSeconds,
        double p95Seconds,
        double cpuSecondsPerGb,
        boolean ok) {
    /**
     * Joins the ranks' measurements of one size.
     *
     * @param transport that was asked for
     * @param times one entry for each rank, same size and number of iterations
     */
    static BenchLine of(String where, DataTransport transport, List<RankTimes> times) {
        RankTimes first = Collections.min(times, Comparator.comparingInt(RankTimes::rank));
        int iterations = first.seconds().size();
        var slowest = new ArrayList<Double>();
        for (int i = 0; i < iterations; i++) {
            double worst = 0;
            for (RankTimes rank : times) {
                worst = Math.max(worst, rank.seconds().get(i));
            }
            slowest.add(worst);
        }
        Collections.sort(slowest);
        double cpu = times.stream().mapToDouble(RankTimes::cpuSeconds).sum();
        return new BenchLine(
                "hearth",
                times.size(),
                where,
                first.algorithm(),
                transport.text(),
                first.bytes(),
                iterations,
                slowest.get(iterations / 2),
                slowest.get(Math.min(iterations - 1, (int) (iterations * 0.95))),
                cpu / iterations / first.bytes() * 1e9,
                times.stream().allMatch(RankTimes::ok));
    }

    /** Bytes that every link must carry, over the median: comparable between numbers of ranks. */
    public double busBandwidthGbPerSecond() {
        return 2.0 * (ranks - 1) / ranks * bytes / medianSeconds / 1e9;
    }

    /** One line of JSON with the keys of {@code lab/peers/run}. */
    public JsonObject toJson() {
        var json = new JsonObject();
        json.addProperty("peer", peer);
        json.addProperty("ranks", ranks);
        json.addProperty("where", where);
        json.addProperty("algorithm", algorithm);
        json.addProperty("transport", transport);
        json.addProperty("bytes", bytes);
        json.addProperty("iterations", iterations);
        json.addProperty("median_ms", rounded(medianSeconds * 1e3));
        json.addProperty("p95_ms", rounded(p95Seconds * 1e3));
        json.addProperty("busbw_GBps", rounded(busBandwidthGbPerSecond()));
        json.addProperty("cpu_s_per_GB", rounded(cpuSecondsPerGb));
        json.addProperty("ok", ok);
        return json;
    }

    private static double rounded(double value) {
        return Math.round(value * 1e4) / 1e4;
    }
}
