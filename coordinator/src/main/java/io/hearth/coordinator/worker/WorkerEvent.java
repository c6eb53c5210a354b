package io.hearth.coordinator.worker;

/** What happens to a worker; for logs, and for callers that have to know. */
public sealed interface WorkerEvent {
    /** The coordinator gave it a rank, at the start or after an eviction. */
    record Registered(int rank) implements WorkerEvent {}

    /** The coordinator had taken it off the list, because no heartbeat came in time. It registers again, and may get another rank. */
    record Evicted(String text) implements WorkerEvent {}

    /** It could not register again; it goes on trying. */
    record NotRegistered(String text) implements WorkerEvent {}

    /** Its rank is not one of the training's, because others have them all. Its calls fail. */
    record Surplus(int rank, int size) implements WorkerEvent {}

    /** All workers are there; calls are of these from now on. */
    record Complete(int rank, int size) implements WorkerEvent {}

    /** Workers are missing; calls wait for them until their time is up. */
    record Incomplete(int size) implements WorkerEvent {}

    /** No coordinator answers; the worker goes on trying, and averages go on meanwhile. */
    record CoordinatorLost(String text) implements WorkerEvent {}

    record CoordinatorBack() implements WorkerEvent {}
}
