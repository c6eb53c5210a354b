package io.hearth.coordinator.worker;

import io.grpc.Status;
import io.grpc.StatusException;
import io.hearth.coordinator.distributed.wire.HeartbeatRequest;
import io.hearth.coordinator.distributed.wire.HeartbeatResponse;
import io.hearth.coordinator.distributed.wire.RegisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.RegisterWorkerResponse;
import io.hearth.coordinator.distributed.wire.UnregisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.UnregisterWorkerResponse;
import io.hearth.core.SetupException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The place of a worker on the coordinator's list: it registers, sends heartbeats, and registers again after an eviction. */
final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    private static final long CALL_SECONDS = 5;
    private static final long RETRY_MILLIS = 200;
    private static final long CLOSE_MILLIS = 10_000;

    /** Hears who is on the list. */
    interface Listener {
        /**
         * The list.
         *
         * @param rank of this worker
         * @param peers addresses by rank
         * @param registrations beside {@code peers}
         */
        void listed(int rank, List<String> peers, List<Long> registrations);
    }

    private final Coordinators coordinators;
    private final String id;
    private final String address;
    private final long session;
    private final Duration interval;
    private final Listener listener;
    private final Consumer<WorkerEvent> events;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    // Of the thread, once it runs.
    private int rank = -1;
    private long version;
    private boolean isLost;

    Registration(
            Coordinators coordinators,
            String id,
            String address,
            long session,
            Duration interval,
            Listener listener,
            Consumer<WorkerEvent> events) {
        this.coordinators = coordinators;
        this.id = id;
        this.address = address;
        this.session = session;
        this.interval = interval;
        this.listener = listener;
        this.events = events;
        this.thread = Thread.ofPlatform().name("hearth-worker-" + id).daemon().unstarted(this::run);
    }

    /** Registers, then sends heartbeats. Waits for a coordinator, and until a former process with this id is taken off the list. */
    void start(long deadlineNanos) throws SetupException, InterruptedException {
        while (true) {
            try {
                register();
                thread.start();
                return;
            } catch (StatusException failed) {
                boolean mayPass = Coordinators.isAway(failed.getStatus())
                        || failed.getStatus().getCode() == Status.Code.ALREADY_EXISTS;
                if (!mayPass || System.nanoTime() - deadlineNanos >= 0) {
                    throw new SetupException(
                            "worker " + id + " could not register at the coordinator (" + Coordinators.text(failed)
                                    + "): check the coordinator's address, and that no other worker has this id",
                            failed);
                }
            }
            if (stop.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new SetupException("worker " + id + " was closed before it had registered");
            }
        }
    }

    private void register() throws StatusException {
        RegisterWorkerResponse answer = coordinators.call(
                "RegisterWorker",
                RegisterWorkerRequest.newBuilder()
                        .setWorkerId(id)
                        .setAddress(address)
                        .setSession(session)
                        .build(),
                RegisterWorkerResponse::parseFrom,
                CALL_SECONDS);
        rank = answer.getRank();
        version = answer.getVersion();
        tell(new WorkerEvent.Registered(rank));
        listener.listed(rank, answer.getPeersList(), answer.getRegistrationsList());
    }

    private void run() {
        try {
            while (!stop.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                beat();
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            LOG.error("worker {} sends no more heartbeats, because of a fault", id, bug);
        }
    }

    private void beat() {
        try {
            if (rank >= 0) {
                heartbeat();
            } else {
                register();
            }
            if (isLost) {
                isLost = false;
                tell(new WorkerEvent.CoordinatorBack());
            }
        } catch (StatusException failed) {
            if (rank < 0 && !Coordinators.isAway(failed.getStatus())) {
                tell(new WorkerEvent.NotRegistered(Coordinators.text(failed)));
            } else if (!isLost) {
                isLost = true;
                tell(new WorkerEvent.CoordinatorLost(Coordinators.text(failed)));
            }
        }
    }

    private void heartbeat() throws StatusException {
        try {
            HeartbeatResponse answer = coordinators.call(
                    "Heartbeat",
                    HeartbeatRequest.newBuilder()
                            .setWorkerId(id)
                            .setSession(session)
                            .setVersion(version)
                            .build(),
                    HeartbeatResponse::parseFrom,
                    CALL_SECONDS);
            if (answer.getVersion() != version) {
                version = answer.getVersion();
                listener.listed(rank, answer.getPeersList(), answer.getRegistrationsList());
            }
        } catch (StatusException failed) {
            if (failed.getStatus().getCode() != Status.Code.NOT_FOUND) {
                throw failed;
            }
            rank = -1;
            tell(new WorkerEvent.Evicted(Wire.text(failed.getStatus().getDescription())));
            listener.listed(-1, List.of(), List.of());
            register();
        }
    }

    private void tell(WorkerEvent event) {
        LOG.info("worker {}: {}", id, event);
        events.accept(event);
    }

    /** Stops the heartbeats and leaves the list. */
    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(CLOSE_MILLIS);
            if (rank >= 0) {
                rank = -1;
                UnregisterWorkerResponse _ = coordinators.call(
                        "UnregisterWorker",
                        UnregisterWorkerRequest.newBuilder()
                                .setWorkerId(id)
                                .setSession(session)
                                .build(),
                        UnregisterWorkerResponse::parseFrom,
                        CALL_SECONDS);
            }
        } catch (StatusException gone) { // it is taken off the list when it is silent for long enough
            LOG.info("worker {} could not leave the coordinator's list: {}", id, Coordinators.text(gone));
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        coordinators.close();
    }
}
