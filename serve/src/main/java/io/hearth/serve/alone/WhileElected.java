package io.hearth.serve.alone;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.hearth.serve.replica.ServiceReplica;

/** Refuses calls while the state of a service cannot be written, and says why. */
final class WhileElected implements ServerInterceptor {
    private final String name;
    private final ServiceReplica<?> replica;

    WhileElected(String name, ServiceReplica<?> replica) {
        this.name = name;
        this.replica = replica;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (replica.isElected()) {
            return next.startCall(call, headers);
        }
        String why = replica.host()
                .state()
                .diskFailure()
                .map(text -> "cannot be written (" + text + "): make room on the disk, then call again")
                .orElse("is not ready: call again");
        call.close(Status.UNAVAILABLE.withDescription("the state of the service " + name + " " + why), new Metadata());
        return new ServerCall.Listener<>() {};
    }
}
