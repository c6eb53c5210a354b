package io.hearth.parameterserver.server;

import com.google.protobuf.MessageLite;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.UnaryCall;

/** Where the answer of a call goes: to a caller of this machine, or to another member. Once; any thread. */
interface Answer {
    void answer(MessageLite message);

    void fail(Failure why);

    /** The answer of a call of this machine's port. */
    static Answer of(UnaryCall call) {
        return new Answer() {
            @Override
            public void answer(MessageLite message) {
                call.answer(message);
            }

            @Override
            public void fail(Failure why) {
                call.fail(why);
            }
        };
    }
}
