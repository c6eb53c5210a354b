package io.hearth.serve.member;

import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.util.List;

/** Takes the calls of one method on this node, for the member that answers. */
final class RoutedHandler implements ServerCallHandler<byte[], byte[]> {
    /** Marks a call that a member forwards: it is answered here or not at all. */
    static final Metadata.Key<String> FORWARDED = Metadata.Key.of("hearth-forwarded", Metadata.ASCII_STRING_MARSHALLER);

    /** Marks the answer to a forwarded call that this node did not begin to handle. */
    static final Metadata.Key<String> NOT_TAKEN = Metadata.Key.of("hearth-not-taken", Metadata.ASCII_STRING_MARSHALLER);

    /** Marks what the service itself answered to a forwarded call; without it, a status tells of the connection. */
    static final Metadata.Key<String> ANSWERED = Metadata.Key.of("hearth-answered", Metadata.ASCII_STRING_MARSHALLER);

    private final ServerCallHandler<byte[], byte[]> here;
    private final Router router;

    private RoutedHandler(ServerCallHandler<byte[], byte[]> here, Router router) {
        this.here = here;
        this.router = router;
    }

    /** The same services, with calls that reach the member that answers. */
    static List<ServerServiceDefinition> around(List<ServerServiceDefinition> services, Router router) {
        return services.stream().map(service -> around(service, router)).toList();
    }

    private static ServerServiceDefinition around(ServerServiceDefinition service, Router router) {
        var builder =
                ServerServiceDefinition.builder(service.getServiceDescriptor().getName());
        for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
            @SuppressWarnings("unchecked") // the interface of services says so
            var bytes = (ServerMethodDefinition<byte[], byte[]>) method;
            builder.addMethod(bytes.withServerCallHandler(new RoutedHandler(bytes.getServerCallHandler(), router)));
        }
        return builder.build();
    }

    @Override
    public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
        if (!headers.containsKey(FORWARDED)) {
            return new RoutedCall(call, here, router);
        }
        if (router.isHere()) {
            return here.startCall(new Marked(call), headers);
        }
        call.close(Status.UNAVAILABLE.withDescription("another member answers for this cluster"), notTaken());
        return new ServerCall.Listener<>() {};
    }

    /** The trailers of a forwarded call that this node does not begin to handle. */
    static Metadata notTaken() {
        var trailers = new Metadata();
        trailers.put(NOT_TAKEN, "1");
        return trailers;
    }

    private static final class Marked extends ForwardingServerCall.SimpleForwardingServerCall<byte[], byte[]> {
        private Marked(ServerCall<byte[], byte[]> call) {
            super(call);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            trailers.put(ANSWERED, "1");
            super.close(status, trailers);
        }
    }
}
