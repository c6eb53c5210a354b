package io.hearth.coordinator.worker;

import io.hearth.coordinator.collective.Plan;
import io.hearth.serve.grpc.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Settings of a worker.
 *
 * @param coordinators addresses {@code host:port} of machines that serve the coordinator; any of them is called, another one if it fails
 * @param size workers of the training, at least 1
 * @param id of this worker, the same after a restart; empty text for its address
 * @param bind where this worker listens; port 0 for any
 * @param advertised {@code host:port} that others call, if it is not where it listens
 * @param plan how values are averaged
 * @param tls of connections between workers; needed if {@code bind} is not on loopback
 * @param coordinatorTls of the connection to the coordinator, if that has TLS
 * @param heartbeats time between two heartbeats; a third of the coordinator's time-out, or less
 * @param startTimeout for the registration, and until all workers are there
 * @param callTimeout for one average, barrier or broadcast
 */
public record WorkerSettings(
        List<String> coordinators,
        int size,
        String id,
        InetSocketAddress bind,
        Optional<String> advertised,
        Plan plan,
        Optional<TlsFiles> tls,
        Optional<TlsFiles> coordinatorTls,
        Duration heartbeats,
        Duration startTimeout,
        Duration callTimeout) {
    /** Most workers. */
    public static final int SIZE_MAX = 10_000;

    private static final Duration LONGEST = Duration.ofHours(24);

    public WorkerSettings {
        coordinators = List.copyOf(coordinators);
        if (coordinators.isEmpty()) {
            throw new IllegalArgumentException("a worker needs the address of a coordinator, host:port");
        }
        if (size < 1 || size > SIZE_MAX) {
            throw new IllegalArgumentException("a training has 1 to " + SIZE_MAX + " workers, got " + size);
        }
        for (Duration each : List.of(heartbeats, startTimeout, callTimeout)) {
            if (!each.isPositive() || each.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("times are more than 0 and at most 24 hours, got " + each);
            }
        }
        var _ = plan.tree(size); // throws if its groups are for another number of workers
    }

    /** A worker on loopback, with a star, a heartbeat each second, a minute for the start and 30 s for a call. */
    public static WorkerSettings of(List<String> coordinators, int size) {
        return new WorkerSettings(
                coordinators,
                size,
                "",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                new Plan.Star(),
                Optional.empty(),
                Optional.empty(),
                Duration.ofSeconds(1),
                Duration.ofMinutes(1),
                Duration.ofSeconds(30));
    }

    public WorkerSettings withId(String newId) {
        return new WorkerSettings(
                coordinators,
                size,
                newId,
                bind,
                advertised,
                plan,
                tls,
                coordinatorTls,
                heartbeats,
                startTimeout,
                callTimeout);
    }

    public WorkerSettings withPlan(Plan newPlan) {
        return new WorkerSettings(
                coordinators,
                size,
                id,
                bind,
                advertised,
                newPlan,
                tls,
                coordinatorTls,
                heartbeats,
                startTimeout,
                callTimeout);
    }

    /** Where it listens, and what others call if that differs. */
    public WorkerSettings withBind(InetSocketAddress newBind, Optional<String> newAdvertised) {
        return new WorkerSettings(
                coordinators,
                size,
                id,
                newBind,
                newAdvertised,
                plan,
                tls,
                coordinatorTls,
                heartbeats,
                startTimeout,
                callTimeout);
    }

    public WorkerSettings withTls(TlsFiles files) {
        return new WorkerSettings(
                coordinators,
                size,
                id,
                bind,
                advertised,
                plan,
                Optional.of(files),
                coordinatorTls,
                heartbeats,
                startTimeout,
                callTimeout);
    }

    /** With TLS on the way to the coordinator. */
    public WorkerSettings withCoordinatorTls(TlsFiles files) {
        return new WorkerSettings(
                coordinators,
                size,
                id,
                bind,
                advertised,
                plan,
                tls,
                Optional.of(files),
                heartbeats,
                startTimeout,
                callTimeout);
    }

    public WorkerSettings withTimes(Duration newHeartbeats, Duration newStartTimeout, Duration newCallTimeout) {
        return new WorkerSettings(
                coordinators,
                size,
                id,
                bind,
                advertised,
                plan,
                tls,
                coordinatorTls,
                newHeartbeats,
                newStartTimeout,
                newCallTimeout);
    }
}
