package io.hearth.coordinator.worker;

import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.collective.Manifest;
import io.hearth.coordinator.distributed.wire.AllReduceRequest;
import io.hearth.coordinator.distributed.wire.AllReduceResponse;
import io.hearth.coordinator.distributed.wire.Round;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A stream to another worker. One thread at a time. */
final class Outgoing {
    private final String who;
    private final BlockingClientCall<byte[], byte[]> call;
    private final long deadlineNanos;

    Outgoing(String who, BlockingClientCall<byte[], byte[]> call, long deadlineNanos) {
        this.who = who;
        this.call = call;
        this.deadlineNanos = deadlineNanos;
    }

    /** The same stream with another time limit of this side. */
    Outgoing until(long newDeadlineNanos) {
        return new Outgoing(who, call, newDeadlineNanos);
    }

    /** The header of a round. */
    static Round.Builder header(Arrival.Round round, int rank) {
        return Round.newBuilder()
                .setWorld(round.world())
                .setNumber(round.number())
                .setRank(rank);
    }

    /** The header of a round that has failed. */
    static Round.Builder failed(Round.Builder header, ExchangeException why) {
        var failure = Wire.failure(why);
        return header.setFailure(failure.text()).setFailureCode(failure.code().number());
    }

    void send(AllReduceRequest request) throws ExchangeException, InterruptedException {
        try {
            if (!call.write(request.toByteArray(), left(), TimeUnit.NANOSECONDS)) {
                var _ = call.read(left(), TimeUnit.NANOSECONDS); // it has ended: this says why
                throw new ExchangeException(Reason.MISMATCH, who + " ended the call before it had all values");
            }
        } catch (StatusException failed) {
            throw Wire.failure(who, failed.getStatus(), failed);
        } catch (TimeoutException late) {
            throw late(late);
        }
    }

    /** Sends all values, with their names and shapes. */
    void send(Manifest manifest, float[] values) throws ExchangeException, InterruptedException {
        for (Manifest.Entry entry : manifest.entries()) {
            int from = 0;
            do {
                int length = Math.min(Wire.PART_VALUES, entry.length() - from);
                send(AllReduceRequest.newBuilder()
                        .setName(entry.name())
                        .setTensor(Wire.tensor(entry, values, entry.offset() + from, length))
                        .setOffset(from)
                        .build());
                from += length;
            } while (from < entry.length());
        }
    }

    /** Tells the other worker why it gets no values; what it answers does not matter. */
    void fail(Round.Builder header, ExchangeException why) throws InterruptedException {
        try {
            send(AllReduceRequest.newBuilder().setRound(failed(header, why)).build());
            end();
            while (next().isPresent()) {} // until it has ended the call
        } catch (ExchangeException expected) {
            call.cancel("the round failed", expected);
        }
    }

    /** Nothing more is sent. */
    void end() {
        call.halfClose();
    }

    /** The next answer; empty after the last one. */
    Optional<AllReduceResponse> next() throws ExchangeException, InterruptedException {
        try {
            byte[] answer = call.read(left(), TimeUnit.NANOSECONDS);
            return answer == null ? Optional.empty() : Optional.of(Wire.read(AllReduceResponse::parseFrom, answer));
        } catch (StatusException failed) {
            throw Wire.failure(who, failed.getStatus(), failed);
        } catch (TimeoutException late) {
            throw late(late);
        }
    }

    private long left() {
        return Math.max(1, deadlineNanos - System.nanoTime());
    }

    private ExchangeException late(TimeoutException late) {
        return new ExchangeException(Reason.TIMEOUT, who + " did not answer in time", late);
    }
}
