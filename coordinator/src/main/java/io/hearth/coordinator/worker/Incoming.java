package io.hearth.coordinator.worker;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.distributed.wire.AllReduceRequest;
import io.hearth.coordinator.distributed.wire.AllReduceResponse;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The stream of another worker that averages. Its messages come one at a time, when this worker takes them: so a caller that is early
 * takes the memory of its first message.
 */
final class Incoming implements Arrival, StreamObserver<byte[]> {
    /** A call that ends so shortly before its deadline has ended because of it. */
    private static final long LATE_MILLIS = 100;

    private sealed interface Piece {
        record Message(AllReduceRequest request) implements Piece {}

        record End() implements Piece {}

        record Gone(String why, boolean isLate) implements Piece {}
    }

    private final ServerCallStreamObserver<byte[]> out;
    private final Arrivals<Incoming> arrivals;
    private final @Nullable Deadline deadline = Context.current().getDeadline();
    private final LinkedBlockingQueue<Piece> pieces = new LinkedBlockingQueue<>(); // bounded by what is requested
    private final Object sending = new Object();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private Optional<Round> round = Optional.empty();
    private int rank = -1;
    private int bytes;
    private boolean hasArrived;

    Incoming(ServerCallStreamObserver<byte[]> out, Arrivals<Incoming> arrivals) {
        this.out = out;
        this.arrivals = arrivals;
        out.disableAutoRequest();
        out.setOnReadyHandler(this::wake);
        out.setOnCancelHandler(() -> gone("it ended its call"));
        out.request(1);
    }

    @Override
    public Optional<Round> round() {
        return round;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int bytes() {
        return bytes;
    }

    @Override
    public void onNext(byte[] message) {
        AllReduceRequest request;
        try {
            request = AllReduceRequest.parseFrom(message);
        } catch (InvalidProtocolBufferException broken) {
            if (isOver.compareAndSet(false, true)) {
                out.onError(Status.INTERNAL
                        .withDescription("failed to decode Protobuf message: " + broken.getMessage())
                        .asException());
            }
            gone("it sent a message that cannot be read");
            return;
        }
        pieces.add(new Piece.Message(request));
        if (!hasArrived) {
            hasArrived = true;
            bytes = message.length;
            if (request.hasRound()) {
                var header = request.getRound();
                round = Optional.of(new Round(header.getWorld(), header.getNumber(), ""));
                rank = header.getRank();
            }
            arrivals.arrive(this);
        }
    }

    @Override
    public void onError(Throwable why) {
        gone(Wire.text(Status.fromThrowable(why).getDescription()));
    }

    @Override
    public void onCompleted() {
        pieces.add(new Piece.End());
        if (!hasArrived) {
            hasArrived = true;
            arrivals.arrive(this);
        }
    }

    private void gone(String why) {
        Deadline end = deadline;
        boolean isLate = end != null && end.timeRemaining(TimeUnit.MILLISECONDS) < LATE_MILLIS;
        pieces.add(new Piece.Gone(why, isLate));
        var _ = arrivals.leave(this);
        wake();
    }

    private void wake() {
        synchronized (sending) {
            sending.notifyAll();
        }
    }

    /** The next message; null after the last one. */
    @Nullable
    AllReduceRequest next(String who, long deadlineNanos) throws ExchangeException, InterruptedException {
        Piece piece = pieces.poll(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        return switch (piece) {
            case null -> throw new ExchangeException(Reason.TIMEOUT, who + " came, but did not send all in time");
            case Piece.Message(AllReduceRequest request) -> {
                out.request(1);
                if (!request.getRound().getFailure().isEmpty()) {
                    throw Wire.failure(
                            request.getRound().getFailureCode(),
                            request.getRound().getFailure());
                }
                yield request;
            }
            case Piece.End() -> null;
            case Piece.Gone(String why, boolean isLate) ->
                throw isLate
                        ? new ExchangeException(Reason.TIMEOUT, who + " came, but its time was up")
                        : new ExchangeException(
                                Reason.UNREACHABLE, who + " went away in the middle of its call: " + why);
        };
    }

    /** Sends all values, as fast as the caller takes them. */
    void answer(Manifest manifest, float[] values, long deadlineNanos) throws InterruptedException {
        int partMax = round.isPresent() ? Wire.PART_VALUES : Integer.MAX_VALUE; // others expect a tensor in one message
        for (Manifest.Entry entry : manifest.entries()) {
            int from = 0;
            do {
                int length = Math.min(partMax, entry.length() - from);
                if (!awaitReady(deadlineNanos)) {
                    return;
                }
                out.onNext(AllReduceResponse.newBuilder()
                        .setName(entry.name())
                        .setTensor(Wire.tensor(entry, values, entry.offset() + from, length))
                        .setOffset(from)
                        .build()
                        .toByteArray());
                from += length;
            } while (from < entry.length());
        }
        end();
    }

    /** Ends the call well. */
    void end() {
        if (isOver.compareAndSet(false, true)) {
            out.onCompleted();
        }
    }

    private boolean awaitReady(long deadlineNanos) throws InterruptedException {
        synchronized (sending) {
            while (!out.isReady() && !out.isCancelled()) {
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    fail(new ExchangeException(Reason.TIMEOUT, "the answer was not taken in time"));
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(sending, left);
            }
        }
        return !out.isCancelled();
    }

    @Override
    public void fail(ExchangeException why) {
        if (isOver.compareAndSet(false, true)) {
            out.onError(Wire.status(why).asException());
        }
    }
}
