package io.hearth.agent.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.hearth.agent.history.JobReport;
import io.hearth.agent.history.LossCurve;
import io.hearth.collective.OperationCounts;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The trainings of this machine, as their trainers report them. Ended ones are kept for an hour. Any thread may call it. */
final class JobBook {
    private static final int KEPT_MAX = 32;
    private static final long QUIET_NANOS = 10_000_000_000L;
    private static final long KEPT_NANOS = 3_600_000_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Clock clock;
    private final Map<NodeId, Job> jobs = new LinkedHashMap<>();

    /**
     * A job.
     *
     * @param stepsPerSecond between its last two reports; 0 before
     * @param bytesPerSecond sent between its last two reports; 0 before
     */
    private record Job(
            JobReport report,
            LossCurve curve,
            double stepsPerSecond,
            double bytesPerSecond,
            long heardNanos,
            boolean hasEnded) {}

    JobBook(Clock clock) {
        this.clock = clock;
    }

    synchronized void heard(JobReport report) {
        long now = clock.nanoTime();
        Optional<Job> former = Optional.ofNullable(jobs.remove(report.trainer()))
                .filter(job -> job.report().startedMillis() == report.startedMillis());
        LossCurve curve = former.map(Job::curve).orElse(LossCurve.EMPTY);
        LossCurve longer = report.progress()
                .map(made -> curve.with(new LossCurve.Point(made.step(), made.loss())))
                .orElse(curve);
        double steps = former.map(job -> rate(step(report) - step(job.report()), now - job.heardNanos()))
                .orElse(0.0);
        double bytes = former.map(
                        job -> rate((double) (sentBytes(report) - sentBytes(job.report())), now - job.heardNanos()))
                .orElse(0.0);
        jobs.put(report.trainer(), new Job(report, longer, steps, bytes, now, false));
        while (jobs.size() > KEPT_MAX) {
            jobs.remove(jobs.keySet().iterator().next());
        }
    }

    /** Notes that a trainer ended in order. */
    synchronized void ended(NodeId trainer) {
        jobs.computeIfPresent(trainer, (_, job) -> new Job(job.report(), job.curve(), 0, 0, job.heardNanos(), true));
    }

    private static double rate(double more, long nanos) {
        return nanos > 0 ? Math.max(0, more) / (nanos / NANOS_PER_SECOND) : 0;
    }

    private static long sentBytes(JobReport report) {
        return report.collectives().operations().values().stream()
                .mapToLong(OperationCounts::sentBytes)
                .sum();
    }

    private static double step(JobReport report) {
        return report.progress().map(made -> (double) made.step()).orElse(0.0);
    }

    /** The newest report of each trainer that is not forgotten. */
    synchronized List<JobReport> reports() {
        return jobs.values().stream().map(Job::report).toList();
    }

    /** The jobs, the newest report last. */
    synchronized JsonObject json() {
        long now = clock.nanoTime();
        jobs.values().removeIf(job -> now - job.heardNanos() > KEPT_NANOS);
        var list = new JsonArray();
        jobs.values().forEach(job -> {
            JsonObject json = JobJson.of(job.report());
            boolean isQuiet = now - job.heardNanos() > QUIET_NANOS;
            json.addProperty("state", job.hasEnded() ? "ended" : isQuiet ? "lost" : "running");
            json.addProperty("heard_s_ago", (now - job.heardNanos()) / 1_000_000_000L);
            json.addProperty("steps_per_second", job.stepsPerSecond());
            json.addProperty("sent_bytes_per_second", job.bytesPerSecond());
            json.add("curve", JobJson.of(job.curve()));
            list.add(json);
        });
        var json = new JsonObject();
        json.addProperty("schema", 1);
        json.add("jobs", list);
        return json;
    }
}
