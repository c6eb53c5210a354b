package io.hearth.coordinator.worker;

import com.google.protobuf.MessageLite;
import io.hearth.coordinator.ExchangeException;
import io.hearth.serve.grpc.UnaryCall;
import java.util.Optional;

/** A barrier or broadcast call of another worker. */
record UnaryArrival<R extends MessageLite>(Optional<Round> round, int rank, R request, UnaryCall call)
        implements Arrival {
    void answer(MessageLite message) {
        call.answer(message);
    }

    @Override
    public int bytes() {
        return request.getSerializedSize();
    }

    @Override
    public void fail(ExchangeException why) {
        call.fail(Wire.failure(why));
    }
}
