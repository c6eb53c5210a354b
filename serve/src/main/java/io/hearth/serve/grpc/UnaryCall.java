package io.hearth.serve.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.hearth.serve.Failure;
import java.util.concurrent.atomic.AtomicBoolean;

/** One open call. It is answered once; what comes after that, or after its caller is gone, is dropped. Any thread. */
public final class UnaryCall {
    private final ServerCall<byte[], byte[]> call;
    private final AtomicBoolean isOver = new AtomicBoolean();

    UnaryCall(ServerCall<byte[], byte[]> call) {
        this.call = call;
    }

    public void answer(MessageLite message) {
        if (end()) {
            call.sendHeaders(new Metadata());
            call.sendMessage(message.toByteArray());
            call.close(Status.OK, new Metadata());
        }
    }

    public void fail(Failure why) {
        if (end()) {
            close(why);
        }
    }

    /** Tells the caller why; whoever calls this has ended the call. */
    void close(Failure why) {
        call.close(Status.fromCodeValue(why.code().number()).withDescription(why.text()), new Metadata());
    }

    boolean isOver() {
        return isOver.get();
    }

    /** Whether this ended it. */
    boolean end() {
        return isOver.compareAndSet(false, true);
    }
}
