package io.hearth.coordinator.worker;

import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.distributed.wire.BarrierRequest;
import io.hearth.coordinator.distributed.wire.BroadcastRequest;
import io.hearth.coordinator.distributed.wire.Round;
import io.hearth.serve.grpc.UnaryCall;
import io.hearth.serve.grpc.UnaryHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

/** The calls of other workers that this worker serves. */
final class Meetings {
    private final Arrivals<Incoming> averages;
    private final Arrivals<UnaryArrival<BarrierRequest>> barriers;
    private final Arrivals<UnaryArrival<BroadcastRequest>> broadcasts;
    private final Published published = new Published();
    private final ScheduledExecutorService timer;

    Meetings(ScheduledExecutorService timer, Duration patience) {
        this.timer = timer;
        averages = new Arrivals<>(timer, patience);
        barriers = new Arrivals<>(timer, patience);
        broadcasts = new Arrivals<>(timer, patience);
    }

    Arrivals<Incoming> averages() {
        return averages;
    }

    Arrivals<UnaryArrival<BarrierRequest>> barriers() {
        return barriers;
    }

    Arrivals<UnaryArrival<BroadcastRequest>> broadcasts() {
        return broadcasts;
    }

    Published published() {
        return published;
    }

    ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(Wire.WORKERS)
                .addMethod(
                        Wire.ALL_REDUCE,
                        ServerCalls.asyncBidiStreamingCall(
                                out -> new Incoming((ServerCallStreamObserver<byte[]>) out, averages)))
                .addMethod(UnaryHandler.method(
                        Wire.WORKERS,
                        "Barrier",
                        BarrierRequest.parser(),
                        timer,
                        (request, _, call) -> barrier(request, call)))
                .addMethod(UnaryHandler.method(
                        Wire.WORKERS,
                        "Broadcast",
                        BroadcastRequest.parser(),
                        timer,
                        (request, _, call) -> broadcast(request, call)))
                .build();
    }

    private Runnable barrier(BarrierRequest request, UnaryCall call) {
        var arrival =
                new UnaryArrival<>(round(request.hasRound(), request.getRound(), ""), request.getRank(), request, call);
        barriers.arrive(arrival);
        return () -> {
            var _ = barriers.leave(arrival);
        };
    }

    private Runnable broadcast(BroadcastRequest request, UnaryCall call) {
        int rank = request.hasRound() ? request.getRound().getRank() : -1;
        var arrival = new UnaryArrival<>(
                round(request.hasRound(), request.getRound(), request.getName()), rank, request, call);
        if (request.getOffset() != 0) {
            published.serve(arrival);
            return () -> {};
        }
        broadcasts.arrive(arrival);
        return () -> {
            var _ = broadcasts.leave(arrival);
        };
    }

    private static Optional<Arrival.Round> round(boolean isThere, Round round, String name) {
        return isThere ? Optional.of(new Arrival.Round(round.getWorld(), round.getNumber(), name)) : Optional.empty();
    }

    /** This worker is one of these workers from now on. */
    void world(long id) {
        averages.world(id);
        barriers.world(id);
        broadcasts.world(id);
        published.world(id);
    }

    /** These ranks have left. */
    void absent(Set<Integer> ranks) {
        averages.absent(ranks);
        barriers.absent(ranks);
        broadcasts.absent(ranks);
        published.absent(ranks);
    }

    void close(ExchangeException why) {
        averages.close(why);
        barriers.close(why);
        broadcasts.close(why);
        published.close(why);
    }
}
